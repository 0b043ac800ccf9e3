/* A folder of TMPDIR for one test program, removed when the program ends, also when it crashes or
 * is killed: a guardian process waits for that, ends the servers that still work in the folder, and
 * removes it. */
#ifndef TESTS_SUPPORT_FOLDER_H
#define TESTS_SUPPORT_FOLDER_H

/* A new folder with mode 0755 (a server that root starts runs as another user). The path is
 * malloc'ed; ends the program with a message when it cannot be made. */
char *test_folder_make(void);

/* Removes a folder with all in it; no error when it is not there. */
void test_folder_remove(const char *path);

#endif
