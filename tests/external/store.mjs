/* A server of S3's answers (s3rver) behind a proxy that makes each signature again with AWS's own
 * signer; what does not match is counted.
 *
 *     node store.mjs FOLDER PREFIX      uploads FOLDER below PREFIX of bucket b, then prints its
 *                                       port; on end of input it prints {signed, wrong} and ends */
import { createRequire } from "node:module";
import { mkdtempSync, readdirSync, readFileSync, statSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

const require = createRequire(import.meta.url);
const { SignatureV4 } = require("@smithy/signature-v4");
const { Sha256 } = require("@aws-crypto/sha256-js");
const S3rver = require("s3rver");

const credentials = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" };
const [folder, prefix] = process.argv.slice(2);
const seen = { signed: 0, wrong: [] };

const signer = (region) => new SignatureV4({ service: "s3", region, credentials, sha256: Sha256,
    uriEscapePath: false, applyChecksum: false });

/* The request as the signer wants it: the path as sent, the query taken apart. */
function requestOf(method, url, headers) {
    const [path, text = ""] = url.split("?");
    const query = {};
    for (const pair of text.split("&").filter(Boolean)) {
        const [name, value = ""] = pair.split("=");
        query[decodeURIComponent(name)] = decodeURIComponent(value);
    }
    return { method, protocol: "http:", hostname: "x", path, query, headers };
}

async function check(request) {
    const said = /Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)/
        .exec(request.headers.authorization ?? "");
    if (said === null) {
        seen.wrong.push(`${request.method} ${request.url}: no signature of version 4`);
        return;
    }
    const signed = Object.fromEntries(said[4].split(";").map((n) => [n, request.headers[n]]));
    const date = request.headers["x-amz-date"];
    const when = new Date(date.replace(/(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/, "$1-$2-$3T$4:$5:$6Z"));
    const again = await signer(said[3]).sign(requestOf(request.method, request.url, signed),
        { signingDate: when, signableHeaders: new Set(Object.keys(signed)) });
    const mine = /Signature=(\w+)/.exec(again.headers.authorization)[1];
    seen.signed++;
    if (mine !== said[5])
        seen.wrong.push(`${request.method} ${request.url}: ${said[5]}, AWS's signer makes ${mine}`);
}

const store = new S3rver({ port: 0, address: "127.0.0.1", silent: true,
    directory: mkdtempSync(join(tmpdir(), "stepledger-s3-")), configureBuckets: [{ name: "b" }] });
const { port } = await store.run();

function files(at) {
    return readdirSync(at).flatMap((name) => statSync(join(at, name)).isDirectory()
        ? files(join(at, name)) : [join(at, name)]);
}

for (const file of files(folder)) {
    const path = `/b/${prefix}${file.slice(folder.length + 1)}`.split("/").map(encodeURIComponent).join("/");
    const bytes = readFileSync(file);
    const put = await signer("us-east-1").sign({ method: "PUT", protocol: "http:",
        hostname: "127.0.0.1", port, path, query: {}, body: bytes,
        headers: { host: `127.0.0.1:${port}`, "x-amz-content-sha256": "UNSIGNED-PAYLOAD" } });
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: "PUT", body: bytes, headers: put.headers });
    if (!answer.ok)
        throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}

const proxy = http.createServer(async (request, response) => {
    await check(request).catch((error) => seen.wrong.push(String(error)));
    const onward = http.request({ host: "127.0.0.1", port, method: request.method, path: request.url,
        headers: request.headers }, (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
    });
    request.pipe(onward);
});
proxy.listen(0, "127.0.0.1", () => console.log(proxy.address().port));
process.stdin.resume();
process.stdin.on("end", () => {
    console.log(JSON.stringify(seen));
    process.exit(0);
});
