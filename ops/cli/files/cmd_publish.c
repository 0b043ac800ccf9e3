/* stepledger publish: a summary, and a report if there is one, as a version of a W&B artifact. */
#include "alerts/wandb/wandb.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/runtime/file.h"
#include "ops/runtime/log.h"

#include <string.h>

enum { ALERT_WAIT_MS = 60000 };
/* The service's own bound is 5 GB in one upload; what is read into memory is bounded by us. */
#define DOCUMENT_MAX_BYTES ((size_t)1 << 30)

/* All that a publication needs, before anything is sent. */
struct offer {
    const char *summary_path, *report_path;
    struct summary summary;
    struct wandb_document documents[2];
    struct wandb_alert alert;
    struct wandb_publication publication;
    json_t *metadata, *metrics;
};

static void offer_done(struct offer *offer)
{
    json_decref(offer->metadata);
    json_decref(offer->metrics);
}
#define scoped_offer __attribute__((cleanup(offer_done))) struct offer

static bool document_read(struct offer *offer, const char *path, const char *mimetype,
                          struct arena *arena, struct err *err)
{
    char *bytes;
    size_t length;
    if (!file_read(path, DOCUMENT_MAX_BYTES, arena, &bytes, &length, err))
        return false;
    offer->documents[offer->publication.document_count++] =
        (struct wandb_document){path_base(path), mimetype, bytes, length};
    return true;
}

/* The summary that the ledger calls so, as a document of that name. */
static bool entry_read(struct cli *cli, struct offer *offer, struct arena *arena, struct err *err)
{
    const char *name = offer->summary_path;
    const struct reference_scope scope = reference_scope_configured(cli);
    scoped_text text;
    text_init(&text, DOCUMENT_MAX_BYTES);
    if (!reference_summary(cli, &scope, name, arena, &offer->summary, err))
        return false;
    summary_print(&offer->summary, JSON_STYLE_INDENTED, &text);
    text_addc(&text, '\n');
    if (!text_ok(&text, "the summary", err))
        return false;
    char *bytes = arena_strndup(arena, text.data, text.length);
    offer->documents[offer->publication.document_count++] =
        (struct wandb_document){"profile_summary.json", "application/json", bytes, text.length};
    return true;
}

/* The bytes that are published are the bytes that the metadata are made of. */
static bool file_read_summary(struct offer *offer, struct arena *arena, struct err *err)
{
    if (!document_read(offer, offer->summary_path, "application/json", arena, err))
        return false;
    const struct wandb_document *summary = &offer->documents[0];
    scoped_json *root = json_parse(summary->bytes, summary->length, offer->summary_path, err);
    return root != NULL &&
           summary_from_json(root, offer->summary_path, arena, &offer->summary, err);
}

static struct string_list list_of(const struct cli_value *value)
{
    return (struct string_list){value->list, value->count};
}

static bool beside_fill(struct cli *cli, struct offer *offer, struct err *err)
{
    struct wandb_publication *publication = &offer->publication;
    const struct run_metadata *run = &offer->summary.run_metadata;
    const char *title = cli_text(cli, "alert-title"), *text = cli_text(cli, "alert-text");
    bool annotates = cli_given(cli, "annotate-run");
    const char *source = run->artifact_ref;
    if (source != NULL && strchr(source, ':') != NULL && strstr(source, "://") == NULL)
        publication->source_artifact = source;
    if (annotates && run->run_path == NULL)
        return err_set(err, ERR_INPUT,
                       "'%s' does not say which run it is of (run_metadata.run_path), so "
                       "--annotate-run has none to write to",
                       offer->summary_path);
    publication->annotated_run = annotates ? run->run_path : NULL;
    publication->run_tags = list_of(cli_value(cli, "run-tag"));
    if (!annotates && publication->run_tags.count > 0)
        return err_set(err, ERR_USAGE, "--run-tag needs --annotate-run");
    if (title == NULL)
        return true;
    offer->alert = (struct wandb_alert){title, text == NULL ? title : text,
                                        cli_text(cli, "alert-level"), ALERT_WAIT_MS};
    publication->alert = &offer->alert;
    return true;
}

static bool offer_make(struct cli *cli, struct offer *offer, struct arena *arena, struct err *err)
{
    static const char *latest[] = {"latest"};
    struct wandb_publication *publication = &offer->publication;
    offer->summary_path = cli->operand_count > 0 ? cli->operands[0] : cli_text(cli, "summary");
    if (offer->summary_path == NULL || (cli->operand_count > 0 && cli_given(cli, "summary")))
        return err_set(err, ERR_USAGE, "option --summary is required (or SUMMARY), once");
    offer->report_path = cli_text(cli, "report");
    bool is_file = reference_is_file(offer->summary_path);
    if (is_file)
        reference_file_log(offer->summary_path);
    if (!(is_file ? file_read_summary(offer, arena, err) : entry_read(cli, offer, arena, err)))
        return false;
    offer->publication.documents = offer->documents;
    if ((offer->report_path != NULL &&
         !document_read(offer, offer->report_path, "text/markdown", arena, err)) ||
        !wandb_summary_name(&offer->summary, cli_text(cli, "artifact-name"), arena,
                            &publication->artifact_name, err))
        return false;
    offer->metadata = wandb_summary_metadata(&offer->summary);
    offer->metrics = wandb_summary_metrics(&offer->summary);
    publication->artifact_type = wandb_summary_type;
    publication->job_type = wandb_summary_job;
    publication->metadata = offer->metadata;
    publication->metrics = offer->metrics;
    publication->aliases = list_of(cli_value(cli, "alias"));
    if (publication->aliases.count == 0)
        publication->aliases = (struct string_list){latest, 1};
    return beside_fill(cli, offer, err) && wandb_publication_check(publication, err);
}

/* ---- what is said ---- */

/* The members that every response has; the paths in the normal form of the reference tool. */
static json_t *response_make(const struct offer *offer, const char *status, const char *entity,
                             const char *project, struct arena *arena)
{
    const char *report = offer->report_path;
    const struct string_list *names = &offer->publication.aliases;
    json_t *aliases = json_array();
    for (size_t i = 0; i < names->count; i++)
        (void)json_array_append_new(aliases, json_text(names->items[i]));
    return json_pack("{s:s, s:o, s:o, s:o, s:s, s:o, s:o, s:o}", "status", status, "entity",
                     json_text(entity), "project", json_text(project), "artifact_name",
                     json_text(offer->publication.artifact_name), "artifact_type",
                     offer->publication.artifact_type, "aliases", aliases, "summary_path",
                     json_text(path_normal(arena, offer->summary_path)), "report_path",
                     json_text(report == NULL ? NULL : path_normal(arena, report)));
}

static bool publish_really(struct cli *cli, const struct offer *offer,
                           const struct wandb_config *config, struct arena *arena, struct err *err)
{
    struct wandb_receipt receipt;
    if (!wandb_publish(config, &offer->publication, arena, &receipt, err))
        return false;
    for (size_t i = 0; i < receipt.warnings.count; i++)
        log_event(LOG_WARN, LOG_remote_warning, "why", receipt.warnings.items[i], NULL);
    json_t *response = response_make(offer, "published", receipt.entity, receipt.project, arena);
    const char *outcome = arena_printf(
        arena, receipt.unchanged ? "unchanged (%s)" : "new version (%s)", receipt.version);
    (void)json_object_set_new(response, "artifact_version", json_text(receipt.version));
    (void)json_object_set_new(response, "outcome", json_text(outcome));
    (void)json_object_set_new(response, "run_path", json_text(receipt.run));
    (void)json_object_set_new(response, "run_url", json_text(receipt.run_url));
    return document_print(cli_text(cli, "output"), response, err);
}

static bool publish(struct cli *cli, struct err *err)
{
    struct arena *arena = &cli->arena;
    scoped_offer offer = {0};
    struct wandb_config config;
    if (!offer_make(cli, &offer, arena, err) ||
        !wandb_config_load(&cli->conf, cli_text(cli, "entity"), cli_text(cli, "project"), arena,
                           &config, err))
        return false;
    if (!cli_given(cli, "dry-run"))
        return publish_really(cli, &offer, &config, arena, err);
    json_t *response =
        response_make(&offer, "dry_run", config.entity.text, config.project.text, arena);
    (void)json_object_set(response, "metadata", offer.metadata);
    return document_print(cli_text(cli, "output"), response, err);
}

static const struct cli_option options[] = {
    {"summary", CLI_TEXT, "SUMMARY", NULL, "the summary to publish: a file, p12, a run, ..."},
    {"report", CLI_TEXT, "FILE", NULL, "a report beside it, Markdown"},
    {"entity", CLI_TEXT, "NAME", NULL, "W&B entity (default: WANDB_ENTITY, W&B's files)"},
    {"project", CLI_TEXT, "NAME", NULL, "W&B project (default: WANDB_PROJECT, W&B's files)"},
    {"artifact-name", CLI_TEXT, "NAME", NULL,
     "name of the artifact (default: profile-summary-RUN, else the summary's time)"},
    {"alias", CLI_LIST, "ALIAS", NULL, "alias of the version; latest is always one"},
    {"annotate-run", CLI_FLAG, NULL, NULL,
     "write perf/… metrics (and tags, the alert) to the run that was profiled, too"},
    {"run-tag", CLI_LIST, "TAG", NULL, "with --annotate-run: a tag for it"},
    {"alert-title", CLI_TEXT, "TEXT", NULL, "send a W&B alert with this title"},
    {"alert-text", CLI_TEXT, "TEXT", NULL, "what the alert says (default: its title)"},
    {"alert-level", CLI_CHOICE, "INFO|WARN|ERROR", "INFO", "severity of the alert"},
    {"dry-run", CLI_FLAG, NULL, NULL, "print what would be published; no network"},
    {"output", CLI_TEXT, "FILE", NULL, "write the response there and print the path"},
    CLI_DB,
    CLI_DB_READ,
    CLI_END,
};

const struct cli_command cmd_publish = {
    .name = "publish",
    .line = "publish a summary to Weights & Biases",
    .operands = "[SUMMARY]",
    .operand_max = 1,
    .options = options,
    .details =
        "SUMMARY is a file, or what the ledger calls it: p12, v4 (its candidate), a run, a label,\n"
        "a commit. Makes a version of an artifact of type profile_summary, from a run of its own.\n"
        "Content that is there already makes no new version: outcome says `unchanged (vN)`.\n"
        "Calling again after a failure goes on where the first call stopped. The API key comes\n"
        "from WANDB_API_KEY, netrc, or [wandb] api_key of the configuration.\n\n"
        "exit: 0 published · 1 error · 2 usage",
    .run = publish,
    .compatible = true,
};
