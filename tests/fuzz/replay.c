/* Feeds files to a fuzz target without a fuzzer, so that every `make check` replays the corpus.
 *
 *     TARGET_replay FILE_OR_FOLDER...
 *
 * Linked with one target of this folder, with any compiler and any sanitizer. Prints one TAP line
 * per input, the empty input first; a crash shows as planned cases without a result. A folder that
 * does not exist is an empty corpus. Finds nothing new: that is `make fuzz`.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The target, by the name and signature that libFuzzer fixes. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void stop(const char *what, const char *path)
{
    printf("Bail out! %s %s: %s\n", what, path, strerror(errno));
    exit(1);
}

/* The copy has exactly the file's size, so that a sanitizer sees the first byte read beyond it. */
static void replay_file(int number, const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat info;
    if (file == NULL || fstat(fileno(file), &info) != 0)
        stop("cannot open", path);
    size_t length = (size_t)info.st_size;
    uint8_t *bytes = malloc(length == 0 ? 1 : length);
    if (bytes == NULL || fread(bytes, 1, length, file) != length)
        stop("cannot read", path);
    fclose(file);

    printf("# %s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(bytes, length);
    printf("ok %d - %s\n", number, path);
    free(bytes);
}

/* Returns the number of the last case. */
static int replay_folder(int number, const char *folder)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_visible, alphasort);
    if (count < 0 && errno != ENOENT)
        stop("cannot list", folder);
    if (count > 0)
        printf("1..%d\n", count);
    for (int i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        replay_file(++number, path);
        free(entries[i]);
    }
    free(entries);
    return number;
}

int main(int argc, char **argv)
{
    int number = 1;
    printf("1..1\n");
    fflush(stdout);
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    printf("ok 1 - the empty input\n");
    for (int i = 1; i < argc; i++) {
        struct stat info;
        if (stat(argv[i], &info) == 0 && S_ISREG(info.st_mode)) {
            printf("1..1\n");
            replay_file(++number, argv[i]);
        } else {
            number = replay_folder(number, argv[i]);
        }
    }
    return 0;
}
