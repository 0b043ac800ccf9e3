/* Implements a publication as a story: a run, a version, what is said beside it, the run's end. */
#include "alerts/wandb/wandb_publish.h"
#include "alerts/wandb/wandb_annotate.h"
#include "alerts/wandb/wandb_commit.h"
#include "ops/net/wandb/wandb.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/retry.h"

#include <string.h>

/* Between rounds, so that writers who meet do not meet again: 1.5 s in all on the average. */
static const struct retry_policy rounds = {.base_ms = 100, .cap_ms = 2000, .max_attempts = 6};

enum { RUN_CHARS = 14, RUN_BYTES = 32, WARNINGS_MAX = 8, GENERATIONS_MAX = 8 };

struct session {
    struct wandb_client client;
    const struct wandb_publication *publication;
    struct arena *arena;
    struct wandb_draft draft;
    struct wandb_run_name run; /* the publishing one */
    char run_id[RUN_BYTES];
    const char *warnings[WARNINGS_MAX];
    size_t warning_count;
};

/* What goes wrong beside the artifact is told and does not undo it. */
static void warn(struct session *session, const struct err *failure)
{
    if (session->warning_count < WARNINGS_MAX)
        session->warnings[session->warning_count++] = arena_strdup(session->arena, failure->text);
}

/* ---- the run ---- */

/* "sl" and 14 characters of base32 over place, name, content and generation: another attempt to
 * publish the same finds the same run, and passes by the same runs that somebody has deleted. */
static void run_id_make(struct session *session, uint8_t generation)
{
    static const char base32[] = "abcdefghijklmnopqrstuvwxyz234567";
    const struct wandb_publication *publication = session->publication;
    uint8_t raw[SHA256_BYTES];
    scoped_sha256 *state = sha256_new();
    const char *const parts[] = {session->client.entity.text, session->client.project.text,
                                 publication->artifact_type, publication->artifact_name};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        sha256_add(state, parts[i], strlen(parts[i]) + 1);
    for (size_t i = 0; i < publication->document_count; i++) {
        const struct wandb_document *document = &publication->documents[i];
        sha256_add(state, document->name, strlen(document->name) + 1);
        sha256_add(state, document->bytes, document->length);
    }
    if (generation > 0)
        sha256_add(state, &generation, 1);
    sha256_finish(state, raw);
    memcpy(session->run_id, "sl", 2);
    for (size_t i = 0; i < RUN_CHARS; i++)
        session->run_id[2 + i] = base32[raw[i] % 32];
}

static bool place_resolve(struct session *session, struct err *err)
{
    struct wandb_client *client = &session->client;
    if (client->project.text == NULL)
        client->project = (struct wandb_value){"uncategorized", "default"};
    if (client->entity.text != NULL)
        return true;
    client->entity.source = "the key's default";
    return wandb_default_entity(client, session->arena, &client->entity.text, err);
}

static bool run_upsert(struct session *session, struct err *err)
{
    struct wandb_client *client = &session->client;
    const char *shown =
        arena_printf(session->arena, "publish-%s", session->publication->artifact_name);
    scoped_json *data = NULL;
    json_t *variables = json_pack("{s:s, s:s, s:s, s:s, s:s}", "name", session->run_id, "entity",
                                  client->entity.text, "project", client->project.text,
                                  "displayName", shown, "jobType", session->publication->job_type);
    if (!wandb_call(client, &W_create_run, variables, &data, err))
        return false;
    const json_t *bucket = json_object_get(json_object_get(data, "upsertBucket"), "bucket");
    const json_t *project = json_object_get(bucket, "project");
    const char *name = json_string_value(json_object_get(project, "name"));
    const char *entity =
        json_string_value(json_object_get(json_object_get(project, "entity"), "name"));
    if (name == NULL || entity == NULL)
        return err_set(err, ERR_INPUT,
                       "UpsertBucket: the answer of W&B does not say where the "
                       "run is");
    client->entity.text = arena_strdup(session->arena, entity);
    client->project.text = arena_strdup(session->arena, name);
    const char *path = arena_printf(session->arena, "%s/%s/%s", entity, name, session->run_id);
    session->run = (struct wandb_run_name){client->entity, client->project, session->run_id, path};
    return true;
}

static bool run_make(struct session *session, struct err *err)
{
    for (uint8_t generation = 0; generation < GENERATIONS_MAX; generation++) {
        run_id_make(session, generation);
        if (run_upsert(session, err))
            return true;
        if (!session->client.run_deleted)
            return false;
    }
    return err_set(err, ERR_INPUT,
                   "all %d runs of W&B that this content may be published by were deleted in "
                   "%s/%s; restore one there, or publish under another artifact name",
                   GENERATIONS_MAX, session->client.entity.text, session->client.project.text);
}

/* ---- the version ---- */

/* A step that is refused after the artifact was made: another process may publish the same content,
 * with the same ids, and may have declared another manifest, or committed it by now. The next round
 * finds out. */
static bool is_worth_a_round(const struct wandb_draft *draft, const struct err *failure)
{
    return failure->kind == ERR_CONFLICT ||
           (failure->kind == ERR_INPUT && draft->artifact_id != NULL);
}

static bool version_commit(struct session *session, bool *ret_unchanged, struct err *err)
{
    struct err failure = {0};
    for (int round = 1;; round++) {
        if (wandb_draft_commit(&session->draft, ret_unchanged, &failure))
            return true;
        if (round == rounds.max_attempts || !is_worth_a_round(&session->draft, &failure))
            break;
        clock_sleep_ms(retry_delay_ms(&rounds, round - 1, retry_random()));
    }
    return err_set(err, failure.kind, "%s", failure.text);
}

static bool version_make(struct session *session, struct wandb_receipt *receipt, struct err *err)
{
    struct wandb_draft *draft = &session->draft;
    *draft = (struct wandb_draft){.client = &session->client,
                                  .publication = session->publication,
                                  .arena = session->arena,
                                  .run = session->run_id};
    struct err failure = {0};
    if (!wandb_draft_make(draft, err) || !version_commit(session, &receipt->unchanged, err) ||
        !wandb_draft_confirm(draft, &receipt->version, err))
        return false;
    if (!receipt->unchanged && !wandb_draft_verify(draft, &failure))
        warn(session, &failure);
    receipt->artifact_id = draft->artifact_id;
    return true;
}

/* ---- beside it ---- */

/* Lineage: the publishing run used the artifact that the profile came from. */
static bool source_use(struct session *session, struct err *err)
{
    struct wandb_client *client = &session->client;
    struct wandb_artifact_name name;
    struct wandb_artifact artifact;
    scoped_json *data = NULL;
    return wandb_artifact_name_parse(session->publication->source_artifact, client->config,
                                     session->arena, &name, err) &&
           wandb_artifact_find(client, &name, NULL, session->arena, &artifact, err) &&
           wandb_call(client, &W_use_artifact,
                      json_pack("{s:s, s:s, s:s, s:s}", "artifactID", artifact.id, "entity",
                                session->run.entity.text, "project", session->run.project.text,
                                "run", session->run.run),
                      &data, err);
}

static void run_annotate(struct session *session, const struct wandb_run_name *run)
{
    const struct wandb_publication *publication = session->publication;
    struct err failure = {0};
    if (!wandb_metrics_write(&session->client, run, publication->metrics, false, &failure))
        warn(session, &failure);
    if (!wandb_tags_add(&session->client, run, &publication->run_tags, &failure))
        warn(session, &failure);
}

static void beside(struct session *session)
{
    const struct wandb_publication *publication = session->publication;
    struct wandb_run_name run = session->run;
    struct err failure = {0};
    if (publication->source_artifact != NULL && !source_use(session, &failure))
        warn(session, &failure);
    if (publication->metrics != NULL &&
        !wandb_metrics_write(&session->client, &session->run, publication->metrics, true, &failure))
        warn(session, &failure);
    if (publication->annotated_run != NULL) {
        if (wandb_run_name_parse(publication->annotated_run, session->client.config, session->arena,
                                 &run, &failure))
            run_annotate(session, &run);
        else
            warn(session, &failure);
    }
    if (publication->alert != NULL &&
        !wandb_alert_send(&session->client, &run, publication->alert, &failure))
        warn(session, &failure);
    session->client.entity = session->run.entity;
    session->client.project = session->run.project;
}

/* ---- the story ---- */

static void receipt_fill(struct session *session, struct wandb_receipt *receipt)
{
    struct arena *arena = session->arena;
    receipt->entity = session->run.entity.text;
    receipt->project = session->run.project.text;
    receipt->run = session->run.path;
    receipt->run_url = arena_printf(arena, "%s/%s/%s/runs/%s", session->client.config->app_url.text,
                                    receipt->entity, receipt->project, session->run_id);
    const char **warnings = arena_array(arena, const char *, session->warning_count);
    memcpy(warnings, session->warnings, session->warning_count * sizeof *warnings);
    receipt->warnings = (struct string_list){warnings, session->warning_count};
}

static void session_done(struct session *session)
{
    wandb_close(&session->client);
}
#define scoped_session __attribute__((cleanup(session_done))) struct session

static int64_t asked_ms(struct session *session)
{
    int64_t calls = atomic_load(&session->client.gate.unmet_ms);
    int64_t uploads = atomic_load(&session->draft.gate.unmet_ms);
    int64_t until = calls > uploads ? calls : uploads, left = until - clock_monotonic_ms();
    return until == 0 ? -1 : left > 0 ? left : 0;
}

static bool session_run(struct session *session, const struct wandb_config *config,
                        struct wandb_receipt *receipt, struct err *err)
{
    struct err failure = {0}, unsaid = {0};
    if (!wandb_publication_check(session->publication, err) ||
        !wandb_open(config, session->arena, &session->client, err) ||
        !place_resolve(session, err) || !run_make(session, err))
        return false;
    bool published = version_make(session, receipt, &failure);
    if (published)
        beside(session);
    /* A run whose end is never told shows as crashed. What can be tried again later is no end. */
    if ((published || failure.kind != ERR_UNAVAILABLE) &&
        !wandb_run_end(&session->client, session->run_id, published ? 0 : 1, &unsaid))
        warn(session, &unsaid);
    if (!published)
        return err_set(err, failure.kind, "%s", failure.text);
    receipt_fill(session, receipt);
    return true;
}

bool wandb_publish(const struct wandb_config *config, const struct wandb_publication *publication,
                   struct arena *arena, struct wandb_receipt *ret_receipt, struct err *err)
{
    scoped_session session = {.publication = publication, .arena = arena};
    struct wandb_receipt receipt = {0};
    bool done = session_run(&session, config, &receipt, err);
    *ret_receipt = done ? receipt : (struct wandb_receipt){0};
    ret_receipt->asked_ms = asked_ms(&session);
    return done;
}
