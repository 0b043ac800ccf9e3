/* Implements the loading of what the canary needs. */
#include "ops/flow/judge/canary_past.h"

#include "history/verdicts/verdicts.h"
#include "ops/flow/judge/gate_loading.h"
#include "ops/runtime/log.h"

bool canary_past_load(struct db *db, struct profile_numbers ids, struct arena *arena,
                      struct canary_input *input, struct err *err)
{
    struct ledger_brief *briefs;
    struct gate_profile *profiles = arena_array(arena, struct gate_profile, ids.count);
    if (!ledger_load_stored_briefs(db, ids.items, ids.count, arena, &briefs, err))
        return false;
    size_t count = 0;
    for (size_t i = 0; i < ids.count; i++) {
        if (briefs[i].changed != NULL) {
            log_event(LOG_WARN, LOG_profile_left_out, "why", briefs[i].changed, NULL);
            continue;
        }
        profiles[count] = gate_profile_make(arena, &briefs[i].profile);
        profiles[count++].measures = briefs[i].measures;
    }
    input->profiles = profiles;
    input->profile_count = count;
    input->baseline_limit = CANARY_BASELINE_RUNS;
    return true;
}
