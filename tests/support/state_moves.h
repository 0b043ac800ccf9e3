/* Watches which moves between states a table's rows make, to compare them with the table of states
 * in C: a test makes every move that is listed, and no other. */
#ifndef TESTS_SUPPORT_STATE_MOVES_H
#define TESTS_SUPPORT_STATE_MOVES_H

#include <stdbool.h>

enum { STATE_MOVES_MAX = 8 };

struct state_moves {
    const char *table;        /* with a column `state` */
    const char *const *names; /* of its states */
    int count;
    bool seen[STATE_MOVES_MAX][STATE_MOVES_MAX]; /* [from][to] */
    bool listed[STATE_MOVES_MAX][STATE_MOVES_MAX];
};

/* From now on moves are noted in the database; admin: its superuser's conninfo. */
void state_moves_watch(const struct state_moves *moves, const char *admin);

/* Adds those that were noted to `seen`. */
void state_moves_collect(struct state_moves *moves, const char *admin);

/* Both for cmocka: *state is a scene of three profiles. */
int state_moves_set_up(const struct state_moves *moves, void **state);
int state_moves_tear_down(struct state_moves *moves, void **state);

/* Fails the test unless what was seen is what is listed. */
void state_moves_check(const struct state_moves *moves);

#endif
