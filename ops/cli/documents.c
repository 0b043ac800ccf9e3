/* Reads summaries and prints documents. */
#include "ops/cli/documents.h"

enum { SUMMARY_MAX_BYTES = 512 << 20, DOCUMENT_MAX_BYTES = 1 << 30 };

bool document_read_summary(const char *path, struct arena *arena, struct summary *ret_summary,
                           struct err *err)
{
    scoped_json *root = json_read_file(path, SUMMARY_MAX_BYTES, err);
    return root != NULL && summary_from_json(root, path, arena, ret_summary, err);
}

bool document_print(const char *output_path, json_t *root, struct err *err)
{
    scoped_json *document = root;
    if (document == NULL)
        return false;
    scoped_text text;
    text_init(&text, DOCUMENT_MAX_BYTES);
    json_print(document, JSON_STYLE_INDENTED, &text);
    return cli_emit(output_path, &text, err);
}
