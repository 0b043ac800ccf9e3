/* Stats of a plane: what it says about its device or its job. */
#ifndef INGEST_XPLANE_PLANE_STATS_H
#define INGEST_XPLANE_PLANE_STATS_H

#include "ingest/xplane/plane_ops.h"
#include "ingest/xplane/xspace.h"

/* The stat of that name, NULL when the plane has none. */
const XStat *plane_stat_find(const struct xplane *plane, const char *name);

/* The value as text: texts as they are, numbers in decimal; NULL for values that are no text
 * (bytes, empty, unset) and for a stat that is NULL. false beyond the budget. */
bool plane_stat_text(const struct xplane *plane, const XStat *stat, struct arena *arena,
                     const char **ret_text);

/* The value as a finite number above 0; absent for anything else. stat may be NULL. */
struct opt_f64 plane_stat_positive(const XStat *stat);

/* One XStat in memory: its kind, and its value where the kind is of interest; references are
 * resolved, a compressed text is unset and noted (has_unread). false when it is malformed or a text
 * in it is not UTF-8, or beyond the budget. */
bool plane_stat_parse(struct plane_ops *ops, const uint8_t *p, const uint8_t *end,
                      enum stat_kind *ret_kind, struct stat_value *ret_value);

/* The same of any stat, with its name; "" where the plane has none for it. */
bool plane_stat_read(struct plane_ops *ops, const uint8_t *p, const uint8_t *end,
                     const char **ret_name, struct stat_value *ret_value);

/* Whether a stat of no kind is a time of the device, and it. false when it is malformed. */
bool plane_stat_device_time(const struct plane_ops *ops, const uint8_t *p, const uint8_t *end,
                            enum device_time *ret_which, int64_t *ret_ps);

/* true for the common form of a stat that nobody asks for: an id and one number, both short enough
 * to see at a glance. What it does not recognise may still be such a stat. VARINT_WORD_BYTES are
 * readable from `end` on. */
static inline bool plane_stat_is_idle(const struct plane_ops *ops, const uint8_t *p,
                                      const uint8_t *end)
{
    enum { ID_TAG = 0x08, UINT_TAG = 0x18, INT_TAG = 0x20, LEAST_BYTES = 4, MOST_BYTES = 11 };
    if (end - p < LEAST_BYTES || end - p > MOST_BYTES || p[0] != ID_TAG || p[1] >= PLAIN_STAT_IDS ||
        (p[2] != UINT_TAG && p[2] != INT_TAG))
        return false;
    if (ops->asked_stats[p[1] / 64] >> p[1] % 64 & 1)
        return false;
    uint64_t ends = word_ends(word_read(p + 3));
    return ends != 0 && p + 3 + __builtin_ctzll(ends) / 8 + 1 == end;
}

#endif
