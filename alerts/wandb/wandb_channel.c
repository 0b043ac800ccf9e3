/* W&B as a destination: every verdict becomes a version of an artifact, with the candidate's
 * summaries beside it; so does every report that is sent there, with its pages.
 *
 * The files are frozen with the verdict or report, and every id is made of them: an attempt that
 * goes on where another broke off meets what that one made, and what was published already makes no
 * second version. So an outcome that is in doubt may always be tried again; the outbox does, one
 * attempt at a time. Metrics and tags of the profiled run, and the run alert, are best effort
 * beside it.
 */
#include "alerts/card.h"
#include "alerts/channels.h"
#include "alerts/wandb/wandb_publish.h"
#include "schema/documents/trend_report.h"
#include "schema/documents/verdict_words.h"

#include <string.h>

enum { BODY_MAX_BYTES = 256 << 20, ALERT_WAIT_MS = 60000, HTTP_OK = 200 };
enum { DOCUMENTS_MAX = 64, SENTENCE_MAX_BYTES = 4 << 20 };

/* ---- the frozen publication ---- */

static void document_add(json_t *list, const char *name, json_t *root)
{
    scoped_json *held = root;
    scoped_text text;
    text_init(&text, BODY_MAX_BYTES);
    json_print(held, JSON_STYLE_INDENTED, &text);
    (void)json_array_append_new(list,
                                json_pack("{s:s, s:o}", "name", name, "text", json_of_text(&text)));
}

/* The judgement, and the summary of each profile of the candidate. */
static json_t *documents_json(const struct notice *notice, struct arena *arena)
{
    json_t *list = json_array();
    document_add(list, "verdict.json", verdict_to_json(notice->verdict));
    for (size_t i = 0; i < notice->profile_count && i < DOCUMENTS_MAX - 1; i++) {
        const struct notice_profile *profile = &notice->profiles[i];
        const char *name = notice->profile_count == 1
                               ? "profile_summary.json"
                               : arena_printf(arena, "profile_summary.%s.json", profile->id);
        document_add(list, name, summary_to_json(profile->summary));
    }
    return list;
}

/* A run of W&B names the artifact as the reference tool does, a workload names its own. */
static bool name_make(const struct notice *notice, struct arena *arena, const char **ret_name,
                      struct err *err)
{
    static const struct summary nobody;
    const struct summary *summary =
        notice->profile_count > 0 ? notice->profiles[0].summary : &nobody;
    if (summary->run_metadata.run_id != NULL)
        return wandb_summary_name(summary, NULL, arena, ret_name, err);
    const char *name = arena_printf(arena, "profile-summary-%s-%s", notice->verdict->project,
                                    notice->verdict->workload);
    *ret_name = wandb_name_fit(name, arena);
    return true;
}

/* Of the verdict what people read of it; the other members are of one profile, which is named. */
static json_t *verdict_metadata(const struct notice *notice)
{
    const struct verdict *verdict = notice->verdict;
    struct opt_f64 before = verdict->baseline.step_median_us;
    struct opt_f64 after = verdict->candidate.step_median_us;
    const char *profile = notice->profile_count > 0 ? notice->profiles[0].id : NULL;
    scoped_arena arena;
    arena_init(&arena, SENTENCE_MAX_BYTES);
    return json_pack(
        "{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "verdict",
        json_text(notice->verdict_id), "verdict_status", verdict_status_names[verdict->status],
        "verdict_headline", json_text(verdict_sentence(verdict, &arena)), "ledger_project",
        json_text(verdict->project), "workload", json_text(verdict->workload), "branch",
        json_text(verdict->candidate.branch), "commit", json_text(verdict->candidate.commit),
        "profile", json_text(profile), "baseline_step_median_us", wandb_number(before),
        "candidate_step_median_us", wandb_number(after), "step_median_change_pct",
        wandb_number(change_percent(before, after)), "rule_estimate_pct",
        wandb_number(verdict->statistics.estimate_pct));
}

/* Only what opens an alert, or makes it worse, is worth a notice to the key's owner. */
static json_t *alert_json(const struct notice *notice, const struct card *card)
{
    bool opens = notice->phase == PHASE_FIRING || notice->phase == PHASE_REOPENED ||
                 notice->phase == PHASE_WORSENED;
    scoped_text text;
    text_init(&text, 1 << 16);
    card_details_add(card, &text);
    if (!opens || notice->accepted)
        return json_null();
    return json_pack("{s:o, s:o}", "title", json_text(card->title), "text", json_of_text(&text));
}

/* What became slower, and was not taken back, is worth a notice to the key's owner. */
static bool report_build(const struct notice *notice, struct arena *arena,
                         struct message *ret_message, struct err *err)
{
    struct card card = card_make(notice, arena);
    scoped_text text;
    const struct trend_report *report = notice->report;
    text_init(&text, 1 << 16);
    const char *name = wandb_report_name(report, arena);
    card_details_add(&card, &text);
    const char *alias = report->report == NULL
                            ? "latest"
                            : arena_printf(arena, "report-%s", report->report + strlen("rp"));
    json_t *pages = json_array();
    for (size_t i = 0; i < notice->page_count; i++) {
        const struct notice_page *page = &notice->pages[i];
        (void)json_array_append_new(pages,
                                    json_pack("{s:s, s:s, s:o}", "name", page->name, "mimetype",
                                              page->mimetype, "text", json_text(page->text)));
    }
    json_t *alert = card.level != CARD_BAD ? json_null()
                                           : json_pack("{s:o, s:o}", "title", json_text(card.title),
                                                       "text", json_of_text(&text));
    json_t *body = json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "name", name, "type",
                             wandb_report_type, "job", wandb_report_job, "alias", alias, "metadata",
                             wandb_report_metadata(report), "metrics", wandb_report_metrics(report),
                             "documents", pages, "alert", alert);
    return body_print_within(body, BODY_MAX_BYTES, arena, ret_message, err);
}

static bool body_build(const struct notice *notice, const struct destination *to,
                       struct arena *arena, struct message *ret_message, struct err *err)
{
    (void)to;
    if (notice->report != NULL)
        return report_build(notice, arena, ret_message, err);
    struct card card = card_make(notice, arena);
    const char *name;
    if (!name_make(notice, arena, &name, err))
        return false;
    const struct summary *first = notice->profile_count > 0 ? notice->profiles[0].summary : NULL;
    const char *alias = notice->verdict_id == NULL
                            ? "latest"
                            : arena_printf(arena, "verdict-%s", notice->verdict_id + 1);
    const char *tag =
        arena_printf(arena, "stepledger-%s", verdict_status_names[notice->verdict->status]);
    json_t *metadata = first == NULL ? json_object() : wandb_summary_metadata(first);
    scoped_json *ours = verdict_metadata(notice);
    (void)json_object_update(metadata, ours);
    json_t *metrics = first == NULL ? json_object() : wandb_summary_metrics(first);
    json_t *body =
        json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "name", name, "alias", alias,
                  "tag", tag, "run", json_text(first == NULL ? NULL : first->run_metadata.run_path),
                  "source", json_text(first == NULL ? NULL : first->run_metadata.artifact_ref),
                  "metadata", metadata, "metrics", metrics, "documents",
                  documents_json(notice, arena), "alert", alert_json(notice, &card));
    return body_print_within(body, BODY_MAX_BYTES, arena, ret_message, err);
}

static bool takes_records(const struct notice *notice, const struct destination *to)
{
    (void)to;
    return notice->report != NULL ||
           (notice->verdict != NULL && notice->verdict->evidence_sha256 != NULL);
}

/* ---- sending ---- */

/* The parts of a publication that point into the frozen message. */
struct thawed {
    struct wandb_publication publication;
    struct wandb_document documents[DOCUMENTS_MAX];
    struct wandb_alert alert;
    const char *aliases[1], *tags[1];
};

static const char *text_at(const json_t *body, const char *name)
{
    return json_string_value(json_object_get(body, name));
}

static void documents_thaw(const json_t *list, struct thawed *thawed)
{
    size_t count = json_array_size(list);
    for (size_t i = 0; i < count && i < DOCUMENTS_MAX; i++) {
        const json_t *item = json_array_get(list, i), *text = json_object_get(item, "text");
        const char *mimetype = text_at(item, "mimetype");
        thawed->documents[i] = (struct wandb_document){
            text_at(item, "name"), mimetype != NULL ? mimetype : "application/json",
            json_string_value(text), json_string_length(text)};
        thawed->publication.document_count = i + 1;
    }
    thawed->publication.documents = thawed->documents;
}

/* What the profile came from is used only where it is an artifact of W&B. */
static void thaw(const json_t *body, struct thawed *thawed)
{
    const char *source = text_at(body, "source"), *type = text_at(body, "type");
    bool is_artifact =
        source != NULL && strchr(source, ':') != NULL && strstr(source, "://") == NULL;
    thawed->aliases[0] = text_at(body, "alias");
    thawed->tags[0] = text_at(body, "tag");
    thawed->publication = (struct wandb_publication){
        .artifact_name = text_at(body, "name"),
        .artifact_type = type != NULL ? type : wandb_summary_type, /* which verdicts leave out */
        .job_type = type != NULL ? text_at(body, "job") : wandb_summary_job,
        .aliases = {thawed->aliases, 1},
        .metadata = json_object_get(body, "metadata"),
        .metrics = json_object_get(body, "metrics"),
        .source_artifact = is_artifact ? source : NULL,
        .annotated_run = text_at(body, "run"),
    };
    if (thawed->publication.annotated_run != NULL)
        thawed->publication.run_tags = (struct string_list){thawed->tags, 1};
    documents_thaw(json_object_get(body, "documents"), thawed);
    const json_t *alert = json_object_get(body, "alert");
    if (!json_is_object(alert))
        return;
    thawed->alert = (struct wandb_alert){text_at(alert, "title"), text_at(alert, "text"), "ERROR",
                                         ALERT_WAIT_MS};
    thawed->publication.alert = &thawed->alert;
}

/* Of ours are only troubles of this machine; they are the caller's. */
static bool failure_settle(struct sending *sending, const struct err *failure, int64_t asked_ms,
                           struct err *err)
{
    bool ours = failure->kind == ERR_LIMIT || failure->kind == ERR_FULL || failure->kind == ERR_BUG;
    bool again = failure->kind == ERR_UNAVAILABLE || failure->kind == ERR_CONFLICT;
    if (ours)
        return err_set(err, failure->kind, "%s", failure->text);
    *sending->delivery = (struct delivery){
        .class = again ? DELIVERY_RETRY : DELIVERY_PERMANENT,
        .refusal = again ? REFUSAL_NONE : REFUSAL_DESTINATION,
        .pause = again && asked_ms >= 0,
        .retry_after_ms = asked_ms,
        .reason = arena_strdup(sending->arena, failure->text),
    };
    return true;
}

static bool message_send(struct sending *sending, struct err *err)
{
    struct thawed thawed = {0};
    struct wandb_config config;
    struct wandb_receipt receipt = {.asked_ms = -1};
    struct err failure = {0};
    scoped_json *body = sending_body(sending, err);
    if (body == NULL)
        return false;
    thaw(body, &thawed);
    const struct wandb_place place = {sending->url.text, sending->to->secret_ref,
                                      sending->to->repository, &sending->to->policy};
    if (!wandb_config_of_place(&place, sending->arena, &config, &failure) ||
        !wandb_publish(&config, &thawed.publication, sending->arena, &receipt, &failure))
        return failure_settle(sending, &failure, receipt.asked_ms, err);
    *sending->delivery = (struct delivery){
        .class = DELIVERY_DONE,
        .http_status = HTTP_OK,
        .retry_after_ms = -1,
        .reason = receipt.warnings.count > 0 ? receipt.warnings.items[0] : NULL,
        .remote_ref = arena_printf(sending->arena, "%s/%s/%s:%s", receipt.entity, receipt.project,
                                   thawed.publication.artifact_name, receipt.version),
    };
    return true;
}

const struct channel channel_wandb = {
    .kind = "wandb",
    .needs = NEEDS_SECRET | NEEDS_REPOSITORY,
    .default_url = "https://api.wandb.ai",
    .keeps_record = true,
    .takes = takes_records,
    .body_build = body_build,
    .send = message_send,
};
