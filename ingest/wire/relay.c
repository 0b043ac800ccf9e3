/* See relay.h. A ring under one lock. */
#include "ingest/wire/relay.h"
#include "ops/runtime/arena.h"

#include <pthread.h>
#include <stdlib.h>

/* More than what a sorter hands over at one time: it then reads on while that is taken. */
enum { PARTS = 96, HALF = PARTS / 2 };

struct relay {
    relay_make *make;
    void *context;
    size_t part_bytes;
    char *parts;
    pthread_t maker;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t for_taker, for_maker;
    size_t made, taken; /* of all parts; the taker has the one before `taken` */
    bool has_part, taker_waits, settles, ended, failed, stop;
    struct err err;
};

/* ---- the maker ------------------------------------------------------------------------------- */

/* Waits for room; false when no more is wanted. Once the ring was full, until half of it is. */
static bool room_await(struct relay *relay)
{
    (void)pthread_mutex_lock(&relay->lock);
    if (relay->made - relay->taken + relay->has_part == PARTS) {
        while (!relay->stop && relay->made - relay->taken > HALF)
            (void)pthread_cond_wait(&relay->for_maker, &relay->lock);
    }
    const bool wanted = !relay->stop;
    (void)pthread_mutex_unlock(&relay->lock);
    return wanted;
}

/* A failure takes the place of a part, and is the last. */
static void part_publish(struct relay *relay, bool is_last, const struct err *failure)
{
    (void)pthread_mutex_lock(&relay->lock);
    relay->made++;
    relay->ended = is_last;
    relay->failed = failure != NULL;
    if (failure != NULL)
        relay->err = *failure;
    if (relay->taker_waits && (is_last || relay->made - relay->taken >= HALF))
        (void)pthread_cond_signal(&relay->for_taker);
    (void)pthread_mutex_unlock(&relay->lock);
}

static void *maker_run(void *context)
{
    struct relay *relay = context;
    bool more = true;
    while (more && room_await(relay)) {
        struct err err = {0};
        char *part = relay->parts + relay->made % PARTS * relay->part_bytes;
        const bool made = relay->make(relay, relay->context, part, &more, &err);
        more = more && made;
        part_publish(relay, !more, made ? NULL : &err);
    }
    return NULL;
}

void relay_settle(struct relay *relay)
{
    (void)pthread_mutex_lock(&relay->lock);
    relay->settles = true;
    (void)pthread_cond_signal(&relay->for_taker);
    while (!relay->stop && !(relay->taker_waits && relay->made == relay->taken))
        (void)pthread_cond_wait(&relay->for_maker, &relay->lock);
    relay->settles = false;
    (void)pthread_mutex_unlock(&relay->lock);
}

/* ---- the taker ------------------------------------------------------------------------------- */

/* Whether the taker goes on: once it has to wait, it waits for half of the ring. */
static bool may_take(const struct relay *relay)
{
    const size_t there = relay->made - relay->taken;
    return there >= HALF || relay->ended || (relay->settles && there > 0);
}

void *relay_take(struct relay *relay, struct err *err)
{
    void *part = NULL;
    (void)pthread_mutex_lock(&relay->lock);
    relay->has_part = false;
    if (relay->made - relay->taken <= HALF)
        (void)pthread_cond_signal(&relay->for_maker);
    if (relay->made == relay->taken) {
        relay->taker_waits = true;
        while (!may_take(relay))
            (void)pthread_cond_wait(&relay->for_taker, &relay->lock);
        relay->taker_waits = false;
    }
    if (relay->failed && relay->taken + 1 == relay->made) {
        *err = relay->err;
    } else {
        part = relay->parts + relay->taken++ % PARTS * relay->part_bytes;
        relay->has_part = true;
    }
    (void)pthread_mutex_unlock(&relay->lock);
    return part;
}

/* ---- both ------------------------------------------------------------------------------------ */

static void relay_free(struct relay *relay)
{
    (void)pthread_cond_destroy(&relay->for_maker);
    (void)pthread_cond_destroy(&relay->for_taker);
    (void)pthread_mutex_destroy(&relay->lock);
    free(relay->parts);
    free(relay);
}

struct relay *relay_begin(size_t part_bytes, relay_make *make, void *context)
{
    struct relay *relay = memory_zalloc(1, sizeof *relay);
    relay->make = make;
    relay->context = context;
    relay->part_bytes = part_bytes;
    relay->parts = memory_zalloc(PARTS, part_bytes);
    (void)pthread_mutex_init(&relay->lock, NULL);
    (void)pthread_cond_init(&relay->for_taker, NULL);
    (void)pthread_cond_init(&relay->for_maker, NULL);
    if (pthread_create(&relay->maker, NULL, maker_run, relay) == 0)
        return relay;
    relay_free(relay);
    return NULL;
}

void relay_end(struct relay *relay)
{
    if (relay == NULL)
        return;
    (void)pthread_mutex_lock(&relay->lock);
    relay->stop = true;
    (void)pthread_cond_signal(&relay->for_maker);
    (void)pthread_mutex_unlock(&relay->lock);
    (void)pthread_join(relay->maker, NULL);
    relay_free(relay);
}
