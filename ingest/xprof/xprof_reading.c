#include "ingest/xprof/xprof_reading.h"

#include "ops/runtime/file.h"

#include <math.h>
#include <string.h>

/* ---- what tables have in common -------------------------------------------------------------- */

struct opt_f64 xprof_number(const struct data_value *value)
{
    double number = 0;
    if (value == NULL || !value->set)
        return (struct opt_f64){0};
    if (value->kind == DATA_INTEGER)
        return some_f64((double)value->integer);
    if (value->kind == DATA_REAL)
        return some_f64(value->real);
    return text_parse_double(value->text, &number) && isfinite(number) ? some_f64(number)
                                                                       : (struct opt_f64){0};
}

const char *xprof_property(const struct data_table *table, const char *name)
{
    for (size_t i = 0; i < table->property_count; i++) {
        const struct data_value *value = &table->properties[i].value;
        if (strcmp(table->properties[i].name, name) == 0 && value->set &&
            value->kind == DATA_TEXT && value->text[0] != '\0')
            return value->text;
    }
    return NULL;
}

/* Of `host.kernel_stats.pb`, which xprof stores beside a profile, the host: length bytes of the
 * name; none of what is called by the tool alone. */
static const char *host_of(const char *path, size_t *ret_length)
{
    static const char stored[] = ".pb";
    const char *name = path_base(path);
    const size_t length = strlen(name), ending = sizeof stored - 1;
    size_t end =
        length > ending && strcmp(name + length - ending, stored) == 0 ? length - ending : 0;
    while (end > 0 && name[end - 1] != '.')
        end--;
    *ret_length = end > 0 ? end - 1 : 0;
    return name;
}

/* Whether two files are stored beside profiles of different hosts, or of different captures. */
static bool are_apart(const char *path, const char *other)
{
    size_t length, other_length;
    const char *host = host_of(path, &length), *other_host = host_of(other, &other_length);
    return length > 0 && other_length > 0 && !xprof_is_of_all(path) && !xprof_is_of_all(other) &&
           (length != other_length || strncmp(host, other_host, length) != 0);
}

static bool claims_fit(const struct xprof_file *file, struct err *err)
{
    for (int role = 0; role < XPROF_ROLE_COUNT; role++)
        for (int origin = 0; origin < XPROF_ORIGIN_COUNT; origin++) {
            const char *claim = file->tables->claims[role][origin];
            if (claim != NULL && are_apart(claim, file->path))
                return err_set(err, ERR_INPUT,
                               "'%s' and '%s' are of different hosts or captures: give a folder "
                               "with the tables of one",
                               claim, file->path);
        }
    return true;
}

bool xprof_claim(const struct xprof_file *file, enum xprof_role role, enum xprof_origin origin,
                 bool *ret_taken, struct err *err)
{
    const char **claim = &file->tables->claims[role][origin];
    *ret_taken = *claim == NULL || *claim == file->path;
    if (*ret_taken) {
        *claim = file->path;
        return claims_fit(file, err);
    }
    return xprof_is_of_all(*claim) ||
           err_set(err, ERR_INPUT,
                   "'%s' and '%s' tell the same, of different hosts or captures: give a folder "
                   "with the tables of one",
                   *claim, file->path);
}

void xprof_add(struct xprof_tables *tables, enum xprof_role role, enum xprof_origin origin,
               const struct made_rows *rows)
{
    tables->tables = arena_grow(tables->arena, tables->tables, tables->count, &tables->capacity,
                                sizeof *tables->tables);
    tables->tables[tables->count++] = (struct xprof_table){
        .role = role,
        .origin = origin,
        .data = {.columns = rows->columns,
                 .column_count = rows->column_count,
                 .values = rows->values,
                 .row_count = rows->count,
                 .properties = rows->properties,
                 .property_count = rows->property_count},
    };
}

const struct xprof_table *xprof_find(const struct xprof_tables *tables, enum xprof_role role)
{
    const struct xprof_table *found = NULL;
    for (size_t i = 0; i < tables->count; i++) {
        const struct xprof_table *table = &tables->tables[i];
        /* of several in one file the first of kernels, the last of others: the one without idle
           time, the one that is shown */
        if (table->role == role && (found == NULL || table->origin < found->origin ||
                                    (table->origin == found->origin && role != XPROF_KERNELS)))
            found = table;
    }
    return found;
}

/* ---- messages -------------------------------------------------------------------------------- */

bool xprof_malformed(const struct xprof_file *file, const uint8_t *at, struct err *err)
{
    return err_set(err, ERR_INPUT,
                   "'%s': byte %lld makes no sense as a table that xprof stored: it was cut off or "
                   "is broken; copy the file again",
                   file->path, (long long)(at - file->text.bytes));
}

bool xprof_walk(const struct xprof_file *file, const struct wire_field *message,
                xprof_field_fn *take, void *context, struct err *err)
{
    struct wire_field field;
    for (const uint8_t *p = message->bytes, *next; p < message->end; p = next) {
        next = wire_field_read(p, message->end, &field);
        if (next == NULL)
            return xprof_malformed(file, p, err);
        if (field.number != 0 &&
            (!take(file, &field, context, err) || !arena_ok(file->tables->arena, "a table", err)))
            return false;
    }
    return true;
}

const char *xprof_text(const struct xprof_file *file, const struct wire_field *field)
{
    return text_utf8_repair(file->tables->arena, (const char *)field->bytes,
                            (size_t)(field->end - field->bytes));
}

bool xprof_is_of_all(const char *path)
{
    static const char all_hosts[] = "ALL_HOSTS";
    return strncmp(path_base(path), all_hosts, sizeof all_hosts - 1) == 0;
}
