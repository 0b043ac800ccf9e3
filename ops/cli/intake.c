/* Discovers, summarizes, appends; one arena per profile, one failure never holds the others. */
#include "ops/cli/intake.h"

#include "ops/runtime/json.h"
#include "ops/runtime/log.h"
#include "ops/serve/capture.h"

#include <stdio.h>
#include <string.h>

static struct intake_item *item_add(struct intake *intake, const char *path)
{
    struct arena *arena = &intake->cli->arena;
    struct intake_item *items =
        arena_grow(arena, intake->items, intake->count, &intake->capacity, sizeof *items);
    char *kept = arena_strdup(arena, path);
    if (items == NULL || kept == NULL)
        return NULL;
    intake->items = items;
    struct intake_item *item = &items[intake->count++];
    *item = (struct intake_item){.path = kept};
    return item;
}

/* Failures of the input are the item's own; all others end the command. */
static bool is_own_failure(enum err_kind kind)
{
    return kind == ERR_INPUT || kind == ERR_LIMIT || kind == ERR_MISSING;
}

static bool item_fail(struct intake *intake, const char *path, const struct err *failure,
                      struct err *err)
{
    if (!is_own_failure(failure->kind)) {
        *err = *failure;
        return false;
    }
    struct intake_item *item = item_add(intake, path);
    if (item == NULL)
        return arena_failed(&intake->cli->arena, "the list of profiles", err);
    item->failure = *failure;
    intake->rejected_count++;
    log_event(LOG_WARN, LOG_profile_rejected, "kind", err_kind_name(failure->kind), "file", path,
              "why", failure->text, NULL);
    return true;
}

static bool receipt_keep(struct intake *intake, struct profile_receipt *receipt, struct err *err)
{
    struct arena *arena = &intake->cli->arena;
    receipt->trace_sha256 = arena_strdup(arena, receipt->trace_sha256);
    receipt->series = arena_strdup(arena, receipt->series);
    receipt->run = arena_strdup(arena, receipt->run);
    if (receipt->trace_sha256 == NULL || receipt->series == NULL || receipt->run == NULL)
        return arena_failed(arena, "the list of profiles", err);
    return true;
}

static void log_stored(const struct intake_item *item)
{
    char id[24];
    (void)snprintf(id, sizeof id, "p%lld", (long long)item->receipt.id);
    log_event(LOG_DEBUG, item->receipt.duplicate ? LOG_profile_duplicate : LOG_profile_stored,
              "profile", id, "file", item->path, NULL);
}

static bool intake_profile(struct intake *intake, const struct profile_files *profile,
                           struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, cli_budget(intake->cli));
    struct summary summary;
    struct profile_receipt receipt;
    struct err failure = {0};
    if (!summarize_profile(intake->cli, profile, &intake->options, &arena, &summary, &failure) ||
        !capture_check(profile, &summary, &failure) ||
        !ledger_append_profile(intake->db, &intake->identity, &summary, &arena, &receipt, &failure))
        return item_fail(intake, profile->path, &failure, err);
    for (size_t i = 0; i < summary.coverage.warnings.count; i++)
        log_event(LOG_WARN, LOG_input_warning, "file", profile->path, "why",
                  summary.coverage.warnings.items[i], NULL);
    struct intake_item *item = item_add(intake, profile->path);
    if (item == NULL)
        return arena_failed(&intake->cli->arena, "the list of profiles", err);
    item->stored = true;
    item->receipt = receipt;
    if (!receipt_keep(intake, &item->receipt, err))
        return false;
    log_stored(item);
    return true;
}

bool intake_path(struct intake *intake, const char *path, struct err *err)
{
    struct profile_list list;
    struct err failure = {0};
    if (!ingest_discover(path, &intake->cli->arena, &list, &failure))
        return item_fail(intake, path, &failure, err);
    for (size_t i = 0; i < list.count; i++) {
        if (!intake_profile(intake, &list.items[i], err))
            return false;
    }
    return true;
}

static json_t *item_to_json(const struct intake_item *item)
{
    if (!item->stored)
        return json_pack("{s:s, s:o, s:s}", "error", item->failure.text, "path",
                         json_text(item->path), "kind", err_kind_name(item->failure.kind));
    char id[24];
    (void)snprintf(id, sizeof id, "p%lld", (long long)item->receipt.id);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "profile", id, "trace_sha256",
                     item->receipt.trace_sha256, "series", item->receipt.series, "run",
                     item->receipt.run, "status", item->receipt.duplicate ? "duplicate" : "stored",
                     "path", json_text(item->path));
}

json_t *intake_to_json(const struct intake *intake)
{
    json_t *profiles = json_array(), *rejected = json_array();
    json_t *root = json_pack("{s:o, s:o}", "profiles", profiles, "rejected", rejected);
    if (root == NULL)
        return NULL;
    for (size_t i = 0; i < intake->count; i++) {
        json_t *list = intake->items[i].stored ? profiles : rejected;
        if (json_array_append_new(list, item_to_json(&intake->items[i])) != 0) {
            json_decref(root);
            return NULL;
        }
    }
    return root;
}

int intake_exit_code(const struct intake *intake)
{
    for (size_t i = 0; i < intake->count; i++) {
        if (!intake->items[i].stored)
            return (int)exit_code_of(intake->items[i].failure.kind);
    }
    return EXIT_OK;
}
