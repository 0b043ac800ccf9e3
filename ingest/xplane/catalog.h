/* What all planes of a profile share: texts, distinct op names, region paths.
 *
 * Filled while metadata is loaded, and now and then while events stream (an event whose stats make
 * it another op), then under the lock. Numbers depend on the order of arrival and never reach a
 * document.
 */
#ifndef INGEST_XPLANE_CATALOG_H
#define INGEST_XPLANE_CATALOG_H

#include "ingest/hlo/hlo.h"
#include "ingest/lookup/lookup.h"

#include <pthread.h>

/* All that follows from the name of an event. */
struct op_name {
    uint32_t name, canonical; /* texts */
    const char *family;       /* §9, static */
    struct name_class class;
    bool is_marker;        /* §11 */
    bool is_train;         /* §7: the host's step annotation */
    enum host_word word;   /* on a host */
    struct opt_i64 number; /* the name read as a Python int */
};

struct catalog {
    pthread_mutex_t lock;
    struct arena *arena; /* owned by the profile */
    struct arena scratch;
    struct strings strings;
    struct op_name *names;
    size_t name_count, name_capacity;
    struct id_map name_by_text;
    struct region_path *paths;
    size_t path_count, path_capacity;
    struct id_map path_by_text; /* a framework path, or one beside the name that decides */
    int64_t texts_cut;          /* names and paths beyond NAME_MAX_BYTES */
    bool keeps_told;            /* ops keep all that their source says of them (op.told) */
};

/* Of the arena. catalog_done accepts a zeroed struct. */
void catalog_init(struct catalog *catalog, struct arena *arena);
void catalog_done(struct catalog *catalog);

/* Room for what so many ops bring, more or less, for what arrays outgrow stays in the arena. */
void catalog_expect(struct catalog *catalog, int64_t ops);

/* The number in catalog->names of a name, cut to NAME_MAX_BYTES. */
int32_t catalog_name(struct catalog *catalog, const char *name, size_t length);

/* The number in catalog->paths of an op's region path. tf_op: a text. */
int32_t catalog_path(struct catalog *catalog, const struct op_name *name, uint32_t tf_op);

/* A copy of a text that stays, invalid UTF-8 repaired; locks. */
const char *catalog_keep(struct catalog *catalog, const char *text, size_t length);

static inline const char *catalog_text(const struct catalog *catalog, uint32_t number)
{
    return strings_text(&catalog->strings, number);
}

#define scoped_catalog __attribute__((cleanup(catalog_done))) struct catalog

#endif
