/* The JSON form of the last line of an export, as tables of members. */
#include "schema/documents/export_end.h"

#include <inttypes.h>

static const struct member part_members[] = {
    M_FIELDS(export_part, type, lines, sha256),
};
static const struct record part_record = RECORD_OF(export_part, part_members);

static const struct member end_members[] = {
    M_FIELDS(export_end, type, profiles, verdicts, decisions, deliveries, tracks),
    M_LIST("parts", export_end, parts, part_count, export_part, part_record, M_OPTIONAL),
    M_FIELDS_NULLABLE(export_end, signature, public_key),
};
const struct record export_end_record = RECORD_OF(export_end, end_members);

void export_end_statement(const struct export_end *end, struct text *out)
{
    text_add(out, "export.v1\n");
    for (size_t i = 0; i < end->part_count; i++)
        text_addf(out, "%s %" PRId64 " %s\n", end->parts[i].type, end->parts[i].lines,
                  end->parts[i].sha256);
}
