"""Each rule of ops/ci is broken once in a tree made for it, and must be found at its line."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

LINT = pathlib.Path(__file__).resolve().parents[2] / "ops" / "ci" / "lint"
TOOLS = [name for name in ("ctags", "clang-format-14") if not shutil.which(name)]
FORMAT = pathlib.Path(__file__).resolve().parents[2] / ".clang-format"


@unittest.skipIf(TOOLS, f"not installed: {', '.join(TOOLS)} (ops/setup lint)")
class Lint(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        shutil.copy(FORMAT, self.root)

    def write(self, path, text):
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(textwrap.dedent(text), "utf-8")

    def lint(self):
        # A folder that is no git repository: the walk of an unpacked archive is tested as well.
        env = {**os.environ, "GIT_CEILING_DIRECTORIES": str(self.root.parent)}
        done = subprocess.run([sys.executable, "-B", str(LINT), str(self.root)],
                              capture_output=True, text=True, env=env, check=False)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def finds(self, path, text, finding):
        self.write(path, text)
        status, said = self.lint()
        self.assertIn(finding, said)
        self.assertEqual(status, 1)

    def accepts(self, path, text):
        self.write(path, text)
        status, said = self.lint()
        self.assertEqual((status, said.count("\n")), (0, 1), said)

    def test_a_text_is_asked_whether_it_failed(self):
        function = """\
            /* A. */
            static void names_add(struct text *out)
            {
                scoped_text names;
                text_init(&names, 100);
                text_add(&names, "a");
                %s;
            }
            """
        self.accepts("ops/cli/a.c", function % "text_add_text(out, &names)")
        self.finds("ops/cli/a.c", function % "text_add(out, text_string(&names))",
                   "ops/cli/a.c:4: text names is not asked whether it failed")

    def test_what_is_cleaned_up_is_made_before_a_return(self):
        function = """\
            /* A. */
            static void walk_all(struct place *place)
            {
                %s;
                if (place->count == 0)
                    return;
                %s;
                walk_init(&walk);
            }
            """
        self.accepts("ops/cli/a.c", function % ("place_sort(place)", "scoped_walk walk"))
        self.finds("ops/cli/a.c", function % ("scoped_walk walk", "place_sort(place)"),
                   "ops/cli/a.c:4: walk is cleaned up by a return before it is made")

    def test_functions_that_only_tests_call(self):
        self.write("ops/runtime/clock.c", """\
            /* Clock. */
            #include "ops/runtime/clock.h"

            int clock_wall(void)
            {
                return clock_known();
            }

            int clock_known(void)
            {
                return 1;
            }
            """)
        self.write("tests/unit/clock_test.c", "/* Test. */\nint x(void) { return clock_wall(); }\n")
        self.finds("ops/runtime/clock.h", """\
            /* Clock. */
            #ifndef OPS_RUNTIME_CLOCK_H
            #define OPS_RUNTIME_CLOCK_H
            int clock_known(void);
            int clock_wall(void);
            #endif
            """, "ops/runtime/clock.h:5: clock_wall is called by nothing but tests")
        self.assertIn("ops/runtime/clock.h:4: clock_known is called by its own file alone",
                      self.lint()[1])

    def test_accepts_a_clean_tree(self):
        self.write("ops/runtime/err.h", "/* Errors. */\n")
        self.write("history/db.h", "/* A connection. */\nstruct db;\n")
        self.accepts("ops/cli/main.c", """\
            /* The program: never calls strcpy(). */
            #include "history/db.h"
            #include "ops/runtime/err.h"

            static const char *advice = "never atoi(x)";
            """)

    def test_refuses_an_include_against_the_direction(self):
        self.write("compare/rules.h", "/* Rules. */\n")
        self.finds("history/db.c", '/* A. */\n#include "compare/rules.h"\n',
                   "history/db.c:2: history/ must not include compare/")

    def test_a_room_is_entered_by_its_face_alone(self):
        self.write("compare/README.md", "# compare\n\n| `changes/` | a |\n")
        self.write("compare/changes/changes.h", "/* The face. */\n")
        self.write("compare/changes/cuts.h", "/* Its own. */\n")
        self.accepts("compare/changes/changes.c", '/* A. */\n#include "compare/changes/cuts.h"\n')
        self.accepts("ops/cli/main.c", '/* A. */\n#include "compare/changes/changes.h"\n')
        self.finds("compare/rules.c", '/* A. */\n#include "compare/changes/cuts.h"\n',
                   'compare/rules.c:2: "compare/changes/cuts.h" stays in its room; its face is '
                   "compare/changes/changes.h")

    def test_a_room_keeps_its_floors_direction(self):
        self.write("history/db.h", "/* A connection. */\n")
        self.finds("compare/changes/cuts.c", '/* A. */\n#include "history/db.h"\n',
                   "compare/changes/ must not include history/")

    def floor_of_two_rooms(self):
        self.write("ingest/README.md", "# ingest\n\n| `low/` | a |\n| `high/` | b |\n")
        self.write("ingest/ingest.h", "/* The floor. */\n")
        self.write("ingest/low/low.h", "/* A room. */\n")
        self.write("ingest/high/high.h", '/* A room. */\n#include "ingest/low/low.h"\n')

    def test_a_room_knows_those_above_it_and_the_floors_face(self):
        self.floor_of_two_rooms()
        self.accepts("ingest/low/a.c", '/* A. */\n#include "ingest/ingest.h"\n')
        self.finds("ingest/low/a.c", '/* A. */\n#include "ingest/high/high.h"\n',
                   "ingest/low/a.c:2: ingest/high/ comes after ingest/low/")
        self.finds("ingest/low/a.c", '/* A. */\n#include "ingest/formats.h"\n',
                   "ingest/low/a.c:2: of its floor a room includes only ingest/ingest.h")

    def test_a_floor_lists_its_rooms(self):
        self.floor_of_two_rooms()
        self.finds("ingest/more/more.h", "/* A room. */\n",
                   "ingest/README.md:1: ingest/more/ is a room that its list of rooms lacks")

    def test_a_room_has_at_most_25_files(self):
        self.floor_of_two_rooms()
        for number in range(24):
            self.write(f"ingest/low/f{number}.c", "/* A. */\n")
        self.assertEqual(self.lint()[0], 0)
        self.finds("ingest/low/last.c", "/* A. */\n", "ingest/low/:1: 26 files")

    def test_files_of_a_floor_with_rooms_need_each_other_in_no_circle(self):
        self.floor_of_two_rooms()
        self.write("ingest/low/a.c", "/* A. */\nint a_one(int x)\n{\n    return b_two(x);\n}\n")
        self.accepts("ingest/low/b.c", "/* B. */\nint b_two(int x)\n{\n    return x;\n}\n")
        self.finds("ingest/low/b.c",
                   "/* B: a_one(). */\nint b_two(int x)\n{\n    return a_one(x);\n}\n",
                   "a circle: ingest/low/a -> ingest/low/b -> ingest/low/a")

    def test_refuses_an_include_without_its_folder(self):
        self.finds("history/db.c", '/* A. */\n#include "db.h"\n',
                   "history/db.c:2: \"db.h\": write the path from the repository root")

    def test_refuses_a_library_outside_its_owner(self):
        self.finds("compare/rules.c", "/* A. */\n#include <libpq-fe.h>\n",
                   "compare/rules.c:2: <libpq-fe.h> belongs to history/ alone")

    def test_refuses_a_header_that_brings_a_library_outside_its_owner(self):
        self.write("history/db.h", "/* A connection. */\n#include <libpq-fe.h>\n")
        self.accepts("history/db.c", '/* A. */\n#include "history/db.h"\n')
        self.finds("ops/cli/main.c", '/* A. */\n#include "history/db.h"\n',
                   'ops/cli/main.c:2: "history/db.h" brings <libpq-fe.h>, which belongs to '
                   "history/ alone")

    def test_refuses_generated_protobuf_outside_ingest(self):
        self.finds("ops/cli/main.c", '/* A. */\n#include "xplane.pb-c.h"\n',
                   'ops/cli/main.c:2: "xplane.pb-c.h" belongs to ingest/ alone')

    def test_refuses_a_new_subject_on_the_floor(self):
        self.write("ops/runtime/text_number.c", "/* A part of text. */\n")
        self.finds("ops/runtime/queue.c", "/* A. */\n",
                   "ops/runtime/queue.c:1: ops/runtime is a closed list")

    def test_refuses_to_name_a_file_that_is_not_there(self):
        self.write("ops/cli/here.h", "/* A. */\n")
        self.accepts("ops/cli/a.c", """\
            /* See ops/cli/here.h, ops/cli/here, ops/cli, ops/cli/he*.h, ops/cli/cmd_NAME.c. */
            static const char name[] = "ops/cli/gone.h";
            """)
        self.finds("ops/cli/b.c", "/* A. */\n\n/* See\n * ops/cli/gone.h. */\n",
                   "ops/cli/b.c:4: ops/cli/gone.h is named and is not there")
        self.finds("ops/cli/README.md", "`ops/cli/lost` and `ops/cli/here.h`\n",
                   "ops/cli/README.md:1: ops/cli/lost is named and is not there")
        self.finds("ops/cli/c.sql", "-- ops/cli/no_*.sql\n",
                   "ops/cli/c.sql:1: ops/cli/no_*.sql is named and is not there")

    def test_refuses_a_file_of_501_lines(self):
        self.write("ops/cli/edge.c", "/* A. */\n" + "/* */\n" * 499)
        self.finds("ops/cli/long.c", "/* A. */\n" + "/* */\n" * 500,
                   "ops/cli/long.c:501: 501 lines; a file has at most 500")
        self.assertNotIn("edge.c", self.lint()[1])

    def test_refuses_a_function_of_101_lines_and_warns_above_60(self):
        def function(name, lines):
            return f"static void {name}(void)\n{{\n" + "    ;\n" * (lines - 3) + "}\n"
        text = "/* A. */\n" + "".join(
            function(f"lasting_{n}", n) for n in (60, 61, 100, 101))
        self.finds("ops/cli/long.c", text, "lasting_101 is 101 lines long; at most 100")
        said = self.lint()[1]
        self.assertIn("warning: lasting_61 is 61 lines long", said)
        self.assertIn("warning: lasting_100 is 100 lines long", said)
        self.assertNotIn("lasting_60", said)

    def test_counts_parameters_but_not_those_of_parameters(self):
        self.accepts("ops/cli/five.h", """\
            /* A. */
            /* Five, one of them a function of three. */
            void five(int a, int (*b)(int x, int y, int z), int c, int d, const char *e, ...);
            """)
        self.finds("ops/cli/six.h", """\
            /* A. */
            /* Six. */
            void six(int a, int b, int c, int d, int e, int f);
            """, "ops/cli/six.h:3: six takes 6 parameters; at most 5")

    def test_refuses_101_columns_and_deep_nesting(self):
        self.finds("ops/cli/wide.sql", "-- " + "é" * 98 + "\n",
                   "ops/cli/wide.sql:1: 101 columns; at most 100")
        self.finds("ops/cli/deep.c", "/* A. */\n" + " " * 16 + "if (x)\n",
                   "ops/cli/deep.c:2: nested deeper than 3")

    def test_refuses_banned_functions_and_typedefs(self):
        self.write("ops/cli/type.h", "/* A. */\ntypedef struct run run;\n")
        self.finds("ops/cli/ban.c", "/* A. */\nint x = atoi(y);\n",
                   "ops/cli/ban.c:2: atoi is banned")
        self.assertIn("ops/cli/type.h:2: typedef is for function types", self.lint()[1])

    def test_accepts_safe_relatives_of_banned_functions(self):
        self.accepts("ops/cli/safe.c", """\
            /* A. */
            typedef int command_fn(int argc, char **argv);
            int x = my_atoi(y) + snprintf(a, b, c) + gmtime_r(d, e);
            """)

    def test_refuses_names_that_say_nothing_and_new_top_folders(self):
        self.finds("ops/cli/text_utils.c", "/* A. */\n", "'utils' says nothing")
        self.finds("lib/a.c", "/* A. */\n", "'lib' has no place at the top level")

    def test_refuses_to_cite_what_is_not_there(self):
        self.finds("tests/a.py", '"""From spec' + '/wire.md, §2."""\n',
                   "a.py:1: 'spec" + "/wire.md' is not in the repository")

    def test_refuses_paths_of_a_machine(self):
        self.finds("ops/cli/a.sh", "# A.\ncd /ho" + "me/ann\n", "ops/cli/a.sh:2: '/ho" + "me/a' is")

    def test_refuses_stray_white_space(self):
        self.finds("ops/cli/a.sql", "-- A.\nSELECT 1 \n", "ops/cli/a.sql:2: white space at the end")
        self.finds("ops/cli/b.sql", "-- A.\n\tSELECT 1\n", "ops/cli/b.sql:2: tab;")
        self.finds("ops/cli/c.sql", "-- A.", "ops/cli/c.sql:1: a file ends in exactly one")

    def test_refuses_a_file_without_its_header_comment(self):
        self.finds("history/sql/a.sql", "SELECT 1;\n", "history/sql/a.sql:1: no header comment")
        self.finds("ops/cli/tool", "#!/bin/sh\nset -e\n", "ops/cli/tool:1: no header comment")
        self.finds("ops/cli/a.c", '#include "ops/cli/b.h"\n', "ops/cli/a.c:1: no header comment")

    def test_takes_its_own_header_for_the_comment_of_a_file(self):
        self.write("ops/cli/b.h", "/* B. */\n#ifndef OPS_CLI_B_H\n#define OPS_CLI_B_H\n\n#endif\n")
        self.accepts("ops/cli/b.c", '#include "ops/cli/b.h"\n')

    def test_refuses_a_prototype_without_its_contract(self):
        self.write("ops/cli/a.h", """\
            /* A. */
            #define TWICE(x) ((x) + (x))

            struct a {
                int (*call)(int); /* no prototype */
            };

            static inline int a_one(void)
            {
                return 1;
            }

            /* Told, both. */
            int a_told(void);
            int a_also_told(int x,
                            int y);

            int a_untold(void);
            """)
        status, said = self.lint()
        self.assertEqual(status, 1)
        self.assertIn("ops/cli/a.h:18: a_untold has no contract comment", said)
        self.assertEqual(said.count("has no contract comment"), 1)

    def test_refuses_what_clang_format_would_change(self):
        self.finds("ops/cli/a.c", "/* A. */\nint x=1;\n",
                   "ops/cli/a.c:2: not formatted from here on")

    def test_refuses_broken_scripts(self):
        self.finds("ops/cli/a.sh", "# A.\nif true; then\n", "ops/cli/a.sh:")
        self.finds("ops/cli/a.py", "# A.\ndef (:\n", "ops/cli/a.py:2: ")
