/* Writes decisions: they name profiles and verdicts as the lines before them do. */
#include "ops/cli/archive/export_decisions.h"

#include "history/alert/alert.h"
#include "history/reports/reports.h"
#include "ops/runtime/json.h"

static bool decision_write(struct export *export, json_t *line, const struct origin *origin,
                           struct err *err)
{
    export->manifest.end.decisions++;
    return export_recorded(export, line, origin, err);
}

/* Each of these writes a page behind *after; *ret_more false when there is none. */

static bool acceptances_write(struct export *export, int64_t *after, bool *ret_more,
                              struct err *err)
{
    struct acceptance_page page;
    scoped_arena arena;
    arena_init_within(&arena, export->memory);
    if (!acceptances_after(export->db, *after, &arena, &page, err))
        return false;
    for (size_t i = 0; i < page.count; i++) {
        const struct acceptance_entry *entry = &page.items[i].entry;
        *after = page.items[i].id;
        if (!decision_write(export,
                            json_pack("{ss, so, so, so}", "type", "acceptance", "verdict",
                                      export_name('v', entry->verdict_id), "change_key",
                                      json_text(entry->change_key), "reason",
                                      json_text(entry->reason)),
                            &entry->origin, err))
            return false;
    }
    *ret_more = page.count > 0;
    return true;
}

static bool rebaselines_write(struct export *export, int64_t *after, bool *ret_more,
                              struct err *err)
{
    struct rebaseline_page page;
    scoped_arena arena;
    arena_init_within(&arena, export->memory);
    if (!rebaselines_after(export->db, *after, &arena, &page, err))
        return false;
    for (size_t i = 0; i < page.count; i++) {
        *after = page.items[i].id;
        if (!decision_write(export,
                            json_pack("{ss, so, so}", "type", "rebaseline", "after",
                                      export_name('p', page.items[i].after_profile_id), "reason",
                                      json_text(page.items[i].reason)),
                            &page.items[i].origin, err))
            return false;
    }
    *ret_more = page.count > 0;
    return true;
}

static bool change_points_write(struct export *export, int64_t *after, bool *ret_more,
                                struct err *err)
{
    struct change_point_page page;
    scoped_arena arena;
    arena_init_within(&arena, export->memory);
    if (!change_points_after(export->db, *after, &arena, &page, err))
        return false;
    for (size_t i = 0; i < page.count; i++) {
        const struct change_point_entry *point = &page.items[i];
        *after = point->id;
        if (!decision_write(export,
                            json_pack("{ss, so, so, ss, so, so, so, so}", "type", "change_point",
                                      "profile", export_name('p', point->at_profile_id), "measure",
                                      json_text(point->measure), "status",
                                      change_point_status_names[point->status], "before",
                                      json_number(point->before), "after",
                                      json_number(point->after), "method", json_text(point->method),
                                      "evidence", json_text(point->evidence)),
                            &point->origin, err))
            return false;
    }
    *ret_more = page.count > 0;
    return true;
}

static bool reports_write(struct export *export, int64_t *after, bool *ret_more, struct err *err)
{
    struct report_page page;
    scoped_arena arena;
    arena_init_within(&arena, export->memory);
    if (!ledger_reports_after(export->db, *after, &arena, &page, err))
        return false;
    for (size_t i = 0; i < page.count; i++) {
        *after = page.items[i].id;
        if (!decision_write(export,
                            json_pack("{ss, so}", "type", "report", "document",
                                      json_text(page.items[i].document)),
                            &page.items[i].origin, err))
            return false;
    }
    *ret_more = page.count > 0;
    return true;
}

bool export_decisions(struct export *export, struct err *err)
{
    static bool (*const writers[])(struct export *, int64_t *, bool *, struct err *) = {
        acceptances_write, rebaselines_write, change_points_write, reports_write};
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        int64_t after = 0;
        for (bool more = true; more;)
            if (!writers[i](export, &after, &more, err))
                return false;
    }
    return true;
}
