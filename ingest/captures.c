#include "ingest/captures.h"

#include "ingest/discover.h"
#include "ingest/formats.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text.h"

#include <string.h>

static const size_t DOCUMENT_BYTES_MAX = (size_t)512 << 20;

void captures_init(struct capture_set *set, const struct ingest_options *options,
                   struct arena *arena)
{
    *set = (struct capture_set){.arena = arena, .options = options};
    spill_init(&set->summaries);
}

void captures_done(struct capture_set *set)
{
    if (set->arena != NULL)
        spill_done(&set->summaries);
    *set = (struct capture_set){0};
}

/* What a file says lives longer than its summary. */
static void facts_keep(struct capture_set *set, struct join_file *facts)
{
    const char **texts[] = {&facts->path, &facts->host, &facts->sha256, &facts->format,
                            &facts->key};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        *texts[i] = arena_strdup(set->arena, *texts[i]);
    struct string_list *lists[] = {&facts->chips, &facts->groups, &facts->devices};
    for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++) {
        const char **own = arena_array(set->arena, const char *, lists[l]->count);
        for (size_t i = 0; i < lists[l]->count; i++)
            own[i] = arena_strdup(set->arena, lists[l]->items[i]);
        lists[l]->items = own;
    }
}

bool captures_add(struct capture_set *set, const struct summary *host,
                  const struct capture_origin *origin, struct err *err)
{
    scoped_text document;
    text_init(&document, DOCUMENT_BYTES_MAX);
    set->files = arena_grow(set->arena, set->files, set->count, &set->capacity, sizeof *set->files);
    struct captured_file *file = &set->files[set->count];
    summary_print(host, JSON_STYLE_LINE, &document);
    *file = (struct captured_file){.from = origin->from,
                                   .lies_at = arena_strdup(set->arena, origin->lies_at),
                                   .at = set->summaries.size_bytes,
                                   .length = document.length};
    if (!text_ok(&document, "the summary of a host", err) ||
        !join_file_of(host, set->arena, &file->facts, err) ||
        !spill_write(&set->summaries, text_string(&document), document.length, err))
        return false;
    facts_keep(set, &file->facts);
    file->facts.run = origin->together == 0 ? set->run : NULL;
    file->facts.together = origin->together;
    set->count++;
    return arena_ok(set->arena, "the list of files", err);
}

/* ---- what is left ---------------------------------------------------------------------------- */

static void file_leave(struct capture_set *set, const char *path, const char *why)
{
    set->left =
        arena_grow(set->arena, set->left, set->left_count, &set->left_capacity, sizeof *set->left);
    set->left[set->left_count++] =
        (struct left_file){arena_strdup(set->arena, path), arena_strdup(set->arena, why)};
}

/* Whether a file in another format lies by it that tells something. */
static bool is_outdone(const struct capture_set *set, const char *path, const char *format)
{
    bool found = false;
    for (size_t i = 0; i < set->count && !found; i++) {
        const struct join_file *file = &set->files[i].facts;
        found = file->tells && same_folder(file->path, path) && strcmp(file->format, format) != 0;
    }
    return found;
}

bool captures_leave_broken(struct capture_set *set, const char *path, const struct err *failure)
{
    const struct profile_format *format = format_of_path(path, NULL);
    const bool leaves = failure->kind == ERR_INPUT && format == &profile_formats[FORMAT_NSIGHT] &&
                        is_outdone(set, path, format->name);
    if (leaves)
        file_leave(set, path, failure->text);
    return leaves;
}

/* ---- captures -------------------------------------------------------------------------------- */

bool captures_join(struct capture_set *set, struct err *err)
{
    struct join_file *files = arena_array(set->arena, struct join_file, set->count);
    size_t *indexes = arena_array(set->arena, size_t, set->count), count = 0;
    copies_find(set->files, set->count, set->arena);
    for (size_t i = 0; i < set->count; i++) {
        struct captured_file *file = &set->files[i];
        if (file->copy_words != NULL)
            file_leave(set, file->facts.path, file->copy_words);
        if (file->is_copy)
            continue;
        file->is_left = file->from != NULL && !file->facts.tells && !file->facts.is_alone &&
                        is_outdone(set, file->facts.path, file->facts.format);
        if (file->is_left) {
            file_leave(set, file->facts.path, "it holds neither steps nor work of a device");
            continue;
        }
        files[count] = file->facts;
        indexes[count++] = i;
    }
    if (!spill_flush(&set->summaries, err) ||
        !join_files(files, count, set->arena, &set->joined, err))
        return false;
    for (size_t g = 0; g < set->joined.count; g++) {
        struct join_group *group = &set->joined.groups[g];
        for (size_t i = 0; i < group->count; i++)
            group->files[i] = indexes[group->files[i]];
    }
    return true;
}

bool captures_are_one_run(const struct capture_set *set, const struct join_group *a,
                          const struct join_group *b)
{
    bool found = false;
    for (size_t i = 0; i < a->count && !found; i++) {
        const char *run = set->files[a->files[i]].facts.place.run;
        for (size_t j = 0; j < b->count && run != NULL && !found; j++) {
            const char *other = set->files[b->files[j]].facts.place.run;
            found = other != NULL && strcmp(run, other) == 0;
        }
    }
    return found;
}

bool captures_document(struct capture_set *set, size_t file, struct arena *arena,
                       const char **ret_document, struct err *err)
{
    const struct captured_file *own = &set->files[file];
    char *text = arena_alloc(arena, own->length + 1);
    text[own->length] = '\0';
    *ret_document = text;
    return spill_read(&set->summaries, own->at, text, own->length, err);
}

static bool host_load(struct capture_set *set, size_t file, struct arena *arena,
                      struct summary *ret_host, struct err *err)
{
    const char *document, *path = set->files[file].facts.path;
    scoped_arena text;
    arena_init_within(&text, arena);
    if (!captures_document(set, file, &text, &document, err))
        return false;
    scoped_json *root = json_parse(document, set->files[file].length, path, err);
    return root != NULL && summary_from_json(root, path, arena, ret_host, err);
}

bool captures_summarize(struct capture_set *set, const struct join_group *group,
                        struct arena *arena, struct summary *ret_summary, struct err *err)
{
    struct profile_files files = {.file_count = group->count};
    struct summary *hosts = arena_array(arena, struct summary, group->count);
    for (size_t i = 0; i < group->count; i++) {
        const struct profile_files *from = set->files[group->files[i]].from;
        if (!host_load(set, group->files[i], arena, &hosts[i], err))
            return false;
        if (from != NULL && files.unread_count == 0) {
            files.unread = from->unread;
            files.unread_count = from->unread_count;
        }
        if (from != NULL && files.broken == NULL) {
            files.broken = from->broken;
            files.broken_why = from->broken_why;
        }
        if (from != NULL && files.aside_count == 0) {
            files.aside = from->aside;
            files.aside_count = from->aside_count;
        }
        if (from != NULL && files.program_count == 0) {
            files.programs = from->programs;
            files.program_count = from->program_count;
        }
    }
    struct left_file *left = arena_array(arena, struct left_file, set->left_count);
    for (size_t i = 0; i < set->left_count; i++) { /* of the folders of the capture's files */
        bool near = false;
        for (size_t g = 0; g < group->count && !near; g++)
            near = same_folder(set->files[group->files[g]].facts.path, set->left[i].path);
        if (near)
            left[files.left_count++] = set->left[i];
    }
    files.left = left;
    return ingest_capture(hosts, &files, set->options, arena, ret_summary, err);
}

/* ---- one capture that was asked for ---------------------------------------------------------- */

bool capture_check(const struct profile_files *files, const struct ingest_options *options,
                   struct arena *arena, struct err *err)
{
    scoped_arena work;
    struct ingest_options plain = *options;
    arena_init_within(&work, arena);
    if (files->file_count < 2 || files->is_known)
        return true;
    struct summary *hosts = arena_array(&work, struct summary, files->file_count);
    plain.question = NULL;
    plain.warn = NULL;
    for (size_t i = 0; i < files->file_count; i++) {
        struct err broken = {0};
        const struct ingest_options own = ingest_options_of(&plain, files, i);
        if (!ingest_host(files->files[i], &own, &work, &hosts[i], &broken))
            hosts[i] = (struct summary){0};
    }
    return join_check(hosts, files->file_count, files->path, &work, err);
}
