/* A trigger writes each move into a table of its own. */
#include "tests/support/state_moves.h"

#include "tests/support/ledger_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

void state_moves_watch(const struct state_moves *moves, const char *admin)
{
    char text[600];
    (void)snprintf(text, sizeof text,
                   "CREATE TABLE moves (old text, new text);"
                   "GRANT INSERT ON moves TO stepledger;"
                   "CREATE FUNCTION move_note() RETURNS trigger LANGUAGE plpgsql AS "
                   "$$BEGIN INSERT INTO moves VALUES (OLD.state, NEW.state); RETURN NULL; END$$;"
                   "CREATE TRIGGER moves AFTER UPDATE OF state ON %s "
                   "FOR EACH ROW WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION move_note()",
                   moves->table);
    sql_do(admin, text);
}

void state_moves_collect(struct state_moves *moves, const char *admin)
{
    for (int from = 0; from < moves->count; from++) {
        for (int to = 0; to < moves->count; to++) {
            char text[200];
            (void)snprintf(text, sizeof text,
                           "SELECT count(*) FROM moves WHERE old = '%s' AND new = '%s'",
                           moves->names[from], moves->names[to]);
            moves->seen[from][to] |= sql_number(admin, text) > 0;
        }
    }
}

int state_moves_set_up(const struct state_moves *moves, void **state)
{
    struct scene *scene = scene_open(3);
    state_moves_watch(moves, scene->database.admin);
    *state = scene;
    return 0;
}

int state_moves_tear_down(struct state_moves *moves, void **state)
{
    struct scene *scene = *state;
    state_moves_collect(moves, scene->database.admin);
    scene_close(scene);
    return 0;
}

void state_moves_check(const struct state_moves *moves)
{
    for (int from = 0; from < moves->count; from++)
        for (int to = 0; to < moves->count; to++)
            if (moves->listed[from][to] != moves->seen[from][to])
                fail_msg("%s -> %s: %s", moves->names[from], moves->names[to],
                         moves->listed[from][to] ? "listed, never seen" : "seen, not listed");
}
