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

/* A stat as profilers write most of them: an id of one byte, and behind it one number, that ends
 * the stat and is short enough to see at a glance. */
enum { PLAIN_STAT_HEAD = 3, PLAIN_STAT_LEAST = PLAIN_STAT_HEAD + 1, PLAIN_REF_TAG = 0x38 };

/* What is to be done with a stat, if it is a plain one; PLAIN_STAT_ASKED: look closer. What is to
 * be kept is no reference. VARINT_WORD_BYTES are readable from `end` on. */
static inline unsigned plain_stat(const struct plane_ops *ops, const uint8_t *p, const uint8_t *end)
{
    enum { ID_TAG = 0x08, UINT_TAG = 0x18, INT_TAG = 0x20 };
    if (end - p < PLAIN_STAT_LEAST || p[0] != ID_TAG || p[1] >= PLAIN_STAT_IDS)
        return PLAIN_STAT_ASKED;
    const unsigned found = ops->plain_stats[p[1]];
    const bool is_number =
        p[2] == UINT_TAG || p[2] == INT_TAG || (p[2] == PLAIN_REF_TAG && found == DEVICE_TIME_NONE);
    const uint64_t ends = word_ends(word_read(p + PLAIN_STAT_HEAD));
    return is_number && ends != 0 && word_behind(p + PLAIN_STAT_HEAD, ends) == end
               ? found
               : PLAIN_STAT_ASKED;
}

#endif
