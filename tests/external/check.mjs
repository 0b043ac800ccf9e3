/* Puts what capture.py saw before packages that nobody here wrote: GitHub's own OpenAPI
 * description, reference receivers and renderers, published types, GraphQL's reference validator.
 *
 *     node check.mjs CAPTURED FOLDER      FOLDER takes the program for the type checker
 *
 * One line per check; exits 1 when one does not hold. */
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync, existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "..", "..");
const [captured, folder] = [JSON.parse(readFileSync(process.argv[2], "utf8")), resolve(process.argv[3])];
const sent = captured.requests.filter((r) => r.body !== undefined && r.body !== "");
const at = (pattern, method) => captured.requests.filter(
    (r) => pattern.test(r.path) && (method === undefined || r.method === method));
const body = (request) => JSON.parse(request.body);
let failed = 0;

function report(name, total, faults) {
    failed += faults.length;
    console.log(`${faults.length === 0 && total > 0 ? "ok  " : "FAIL"} ${name}: ${Math.max(0, total - faults.length)} of ${total}`);
    for (const fault of faults.slice(0, 5))
        console.log(`     ${fault}`);
    if (total === 0)
        failed++;
}

/* ---- GitHub, by its own description ---- */

async function github() {
    const Ajv = require("ajv").default;
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const described = JSON.parse(readFileSync(
        join(here, "node_modules/@octokit/openapi/generated/api.github.com.deref.json"), "utf8"));
    const routes = Object.keys(described.paths).map((path) => [path, new RegExp(
        "^" + path.replace(/[.+]/g, "\\$&").replace(/\{[^}]+\}/g, "[^/]+") + "$")]);
    const requests = at(/^\/(repos|user)/);
    const faults = [];
    for (const request of requests) {
        const fits = routes.filter(([path, form]) => form.test(request.path) &&
            described.paths[path][request.method.toLowerCase()] !== undefined)
            .sort((a, b) => a[0].split("{").length - b[0].split("{").length);
        const what = `${request.method} ${request.path}`;
        if (fits.length === 0) {
            faults.push(`${what}: GitHub has no such operation`);
            continue;
        }
        const operation = described.paths[fits[0][0]][request.method.toLowerCase()];
        const schema = operation.requestBody?.content?.["application/json"]?.schema;
        if (request.body && schema === undefined)
            faults.push(`${what}: it takes no body`);
        if (!request.body || schema === undefined)
            continue;
        const valid = ajv.compile(schema);
        if (!valid(body(request)))
            faults.push(`${what}: ${ajv.errorsText(valid.errors)}`);
    }
    report("GitHub requests by @octokit/openapi", requests.length, faults);
}

/* ---- Standard Webhooks ---- */

async function webhooks() {
    const { Webhook } = require("standardwebhooks");
    const receiver = new Webhook(captured.webhook_secret);
    const requests = at(/^\/generic\//);
    const faults = [];
    for (const request of requests) {
        const headers = Object.fromEntries(
            Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]));
        try {
            receiver.verify(request.body, headers);
        } catch (error) {
            faults.push(String(error));
        }
        let refused = false;
        try {
            receiver.verify(request.body + " ", headers);
        } catch {
            refused = true;
        }
        if (!refused)
            faults.push("a changed body verifies, too");
    }
    report("signatures by standardwebhooks", requests.length, faults);
}

/* ---- published types ---- */

const typed = [
    ["@slack/webhook", "IncomingWebhookSendArguments", /^\/services\//, undefined],
    ["@slack/web-api", "ChatPostMessageArguments", /chat\.postMessage$/, undefined],
    ["@slack/web-api", "ChatUpdateArguments", /chat\.update$/, undefined],
    ["discord-api-types/v10", "RESTPostAPIWebhookWithTokenJSONBody", /^\/api\/webhooks\//, "POST"],
    ["discord-api-types/v10", "RESTPatchAPIWebhookWithTokenMessageJSONBody", /^\/api\/webhooks\//, "PATCH"],
    ["@googleapis/chat", "chat_v1.Schema$Message", /^\/v1\/spaces\//, undefined],
];

function types() {
    mkdirSync(folder, { recursive: true });
    if (!existsSync(join(folder, "node_modules")))
        symlinkSync(join(here, "node_modules"), join(folder, "node_modules"));
    for (const [from, type, pattern, method] of typed) {
        const requests = at(pattern, method).filter((r) => r.body);
        const base = type.split(".")[0];
        const lines = [`import type { ${base} } from "${from}";`];
        requests.forEach((request, i) => lines.push(
            `export const sent${i}: ${type} = ${request.body};`));
        const file = join(folder, `${type.replace(/\W/g, "_")}_${method ?? "any"}.ts`);
        writeFileSync(file, lines.join("\n") + "\n");
        const faults = typeFaults(file);
        report(`bodies by the types of ${from} (${type})`, requests.length, faults);
    }
    gitlabTypes();
}

function typeFaults(file) {
    try {
        const project = file.replace(/ts$/, "json");
        writeFileSync(project, JSON.stringify({
            compilerOptions: { noEmit: true, strict: true, skipLibCheck: true, target: "es2022",
                module: "nodenext", moduleResolution: "nodenext", types: [], preserveSymlinks: true },
            files: [file] }));
        execFileSync(process.execPath,
            [join(here, "node_modules/typescript/bin/tsc"), "-p", project], { stdio: "pipe" });
        return [];
    } catch (error) {
        return String(error.stdout).trim().split("\n");
    }
}

/* Gitbeaker takes what GitLab's REST interface calls snake_case in camelCase, and `state` and `sha`
 * as arguments of their own. */
function gitlabTypes() {
    const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
    const requests = at(/\/statuses\//, "POST").filter((r) => r.path.startsWith("/api/v4/"));
    const notes = at(/\/notes/, undefined).filter((r) => r.body);
    const lines = ['import { Gitlab } from "@gitbeaker/rest";',
        'const api = new Gitlab({ token: "t" });'];
    for (const request of requests) {
        const { state, ...rest } = body(request);
        const options = Object.fromEntries(Object.entries(rest).map(([k, v]) => [camel(k), v]));
        lines.push(`void api.Commits.editStatus("p", "s", ${JSON.stringify(state)}, ${JSON.stringify(options)});`);
    }
    for (const request of notes)
        lines.push(`void api.MergeRequestNotes.create("p", 5, ${JSON.stringify(body(request).body)});`);
    const file = join(folder, "gitlab.ts");
    writeFileSync(file, lines.join("\n") + "\n");
    report("bodies by the types of @gitbeaker/rest", requests.length + notes.length, typeFaults(file));
}

/* ---- what people see ---- */

async function cards() {
    const { JSDOM } = require("jsdom");
    const { window } = new JSDOM("<!DOCTYPE html>");
    Object.assign(globalThis, { window, document: window.document, Node: window.Node });
    for (const name of Object.getOwnPropertyNames(window).filter((n) => /^HTML\w*Element$/.test(n)))
        globalThis[name] = window[name];
    const { AdaptiveCard, SerializationContext } = require("adaptivecards/dist/adaptivecards.js");
    const { marked } = await import("marked");
    AdaptiveCard.onProcessMarkdown = (text, result) => {
        result.outputHtml = marked.parse(text);
        result.didProcess = true;
    };
    const requests = at(/^\/workflows\//);
    const faults = [];
    for (const request of requests) {
        const content = body(request).attachments[0].content;
        const card = new AdaptiveCard();
        const context = new SerializationContext();
        card.parse(content, context);
        const element = card.render();
        for (let i = 0; i < context.eventCount; i++)
            faults.push(context.getEventAt(i).message);
        for (const fault of card.validateProperties().validationEvents ?? [])
            faults.push(fault.message);
        const blocks = element.querySelectorAll(".ac-textBlock").length;
        if (blocks !== content.body.length)
            faults.push(`${content.body.length} blocks are rendered as ${blocks}`);
        for (const block of content.body)
            if (/[\r\n]/.test(block.text))
                faults.push(`two lines run into one: ${block.text}`);
    }
    report("Teams cards by adaptivecards", requests.length, faults);
}

/* What stands in a page as words only: no emphasis, link or HTML that a name of an op made. */
function wordsOnly(tokens, faults) {
    for (const token of tokens) {
        if (["em", "del", "image"].includes(token.type)
            || (token.type === "link" && !/^https?:/.test(token.href)))
            faults.push(`${token.type}: ${token.raw}`);
        if (token.type === "text" && !token.tokens && token.raw.includes("`"))
            faults.push(`an open code span: ${token.raw}`);
        const cells = token.type === "table" ? [token.header, ...token.rows].flat() : [];
        for (const inner of [token, ...(token.items ?? []), ...cells])
            wordsOnly(inner.tokens ?? [], faults);
    }
}

async function markdown() {
    const { marked } = await import("marked");
    const requests = [...at(/\/comments/), ...at(/\/notes/)].filter((r) => r.body);
    const texts = [...requests.map((request) => body(request).body), ...captured.pages];
    const faults = [];
    for (const text of texts) {
        wordsOnly(marked.lexer(text), faults);
        for (const token of marked.lexer(text)) {
            if (token.type === "table" && token.rows.some((row) => row.length !== token.header.length))
                faults.push(`a row of a table has other cells: ${token.raw}`);
            if (token.type === "html" && !/^<!--|^<\/?(details|summary)/.test(token.raw.trim()))
                faults.push(`raw HTML: ${token.raw}`);
        }
        const bars = text.split("\n").filter((line) => line.startsWith("|")).length;
        const rows = marked.lexer(text).filter((t) => t.type === "table")
            .reduce((sum, table) => sum + table.rows.length + 2, 0);
        if (bars !== rows)
            faults.push(`${bars} lines of tables, ${rows} are read as such`);
    }
    report("comments and pages by marked", texts.length, faults);
}

/* ---- workflows ---- */

function workflows() {
    const file = join(root, "ops/deploy/ci/github.yml");
    const faults = [];
    try {
        execFileSync(process.execPath, [join(here, "node_modules/@action-validator/cli/cli.mjs"), file],
            { stdio: "pipe", cwd: root });
    } catch (error) {
        faults.push(String(error.stdout) + String(error.stderr));
    }
    report("ops/deploy/ci/github.yml by @action-validator/cli", 1, faults);
}

/* ---- W&B ---- */

function graphqls() {
    const { buildSchema, parse, validate } = require("graphql");
    for (const generation of ["new", "old"]) {
        const schema = buildSchema(captured.sdl[generation]);
        const calls = captured.graphql[generation];
        const faults = calls.flatMap((call) => validate(schema, parse(call.query)).map(
            (error) => `${call.operationName}: ${error.message}`));
        report(`W&B documents by graphql, ${generation} servers`, calls.length, faults);
    }
}

/* ---- S3: the signatures were made again while they were sent (store.mjs) ---- */

function signatures() {
    const { signed, wrong } = captured.store;
    report("S3 signatures by @smithy/signature-v4, answered by s3rver", signed, wrong);
}

await github();
await webhooks();
types();
await cards();
await markdown();
workflows();
graphqls();
signatures();
process.exit(failed > 0 ? 1 : 0);
