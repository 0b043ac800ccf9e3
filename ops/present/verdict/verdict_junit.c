/* Prints verdicts as JUnit XML, the report that GitLab, Jenkins and others show beside tests.
 *
 * The form is what Ant's schema wants, which is the narrowest in use: a suite has id, package,
 * timestamp without a zone, hostname and time; properties, then cases, then what was said; a case
 * has a time and at most one of failure, error, skipped, the first two with a type. What took no
 * time of its own says 0, and the machine of a verdict is nobody's (localhost, as the schema's own
 * words have it for one that is not known).
 */
#include "ops/present/verdict/verdict_list.h"
#include "ops/runtime/text_harmless.h"
#include "schema/documents/verdict_next.h"
#include "schema/documents/verdict_words.h"

/* Element of a test case by status; NULL: it passed. */
static const char *const elements[VERDICT_STATUS_COUNT] = {
    [VERDICT_FAIL] = "failure",
    [VERDICT_INCONCLUSIVE] = "skipped",
    [VERDICT_INCOMPARABLE] = "skipped",
};

static const char *element_of(const struct verdict_item *item)
{
    if (item->verdict == NULL)
        return "error";
    if (item->accepted != NULL && item->verdict->status == VERDICT_FAIL)
        return NULL;
    return elements[item->verdict->status];
}

static size_t elements_count(const struct verdict_list *list, const char *element)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        const char *held = element_of(&list->items[i]);
        count += held != NULL && held[0] == element[0];
    }
    return count;
}

/* What there is to say of one, line by line. */
static void details_add(const struct verdict_item *item, struct arena *arena, struct text *out)
{
    const char *sentence = verdict_item_sentence(item, arena);
    harmless_add(out, HARMLESS_MARKUP, verdict_item_label(item));
    text_add(out, ": ");
    harmless_add(out, HARMLESS_MARKUP, sentence == NULL ? "" : sentence);
    const char *efficiency = verdict_item_efficiency(item, arena);
    if (efficiency != NULL && efficiency[0] != '\0')
        text_addf(out, "\n%s", efficiency);
    for (size_t i = 0; item->verdict != NULL && i < item->verdict->reason_count; i++) {
        text_add(out, "\n");
        harmless_add(out, HARMLESS_MARKUP, item->verdict->reasons[i].text);
    }
    struct verdict_next next = {0};
    if (item->verdict != NULL)
        verdict_next_find(item->verdict, arena, &next);
    if (next.why != NULL) {
        text_addf(out, "\n%s: ", next.why);
        harmless_add(out, HARMLESS_MARKUP, next.command);
    }
    if (item->accepted != NULL) {
        text_add(out, "\nAccepted: ");
        harmless_add(out, HARMLESS_MARKUP, item->accepted);
    }
    if (item->beyond != NULL) {
        text_add(out, "\n" VERDICT_WORDS_BEYOND);
        harmless_add(out, HARMLESS_MARKUP, item->beyond);
    }
    if (item->retracted != NULL) {
        text_add(out, "\n" VERDICT_WORDS_RETRACTED);
        harmless_add(out, HARMLESS_MARKUP, item->retracted);
    }
}

static void case_add(const struct verdict_item *item, struct arena *arena, struct text *out)
{
    const char *element = element_of(item);
    const char *sentence = verdict_item_sentence(item, arena);
    text_add(out, "    <testcase classname=\"stepledger.gate\" name=\"");
    harmless_add(out, HARMLESS_MARKUP, item->name);
    text_add(out, "\" time=\"0\">\n");
    if (element != NULL) {
        text_addf(out, "      <%s%s message=\"", element,
                  element[0] == 's' ? "" : " type=\"stepledger.verdict\"");
        harmless_add(out, HARMLESS_MARKUP, sentence == NULL ? "" : sentence);
        text_add(out, "\">");
        details_add(item, arena, out);
        text_addf(out, "</%s>\n", element);
    }
    text_add(out, "    </testcase>\n");
}

bool verdict_list_junit(const struct verdict_list *list, struct text *out, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    text_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    text_addf(out,
              "  <testsuite id=\"0\" package=\"stepledger\" name=\"stepledger gate\" "
              "timestamp=\"%.*s\" hostname=\"localhost\" tests=\"%zu\" failures=\"%zu\" "
              "errors=\"%zu\" skipped=\"%zu\" time=\"0\">\n",
              (int)(sizeof "2026-11-22T18:00:00" - 1), list->when_utc, list->count,
              elements_count(list, "failure"), elements_count(list, "error"),
              elements_count(list, "skipped"));
    text_add(out, "    <properties>\n");
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].id == NULL)
            continue;
        text_add(out, "      <property name=\"verdict of ");
        harmless_add(out, HARMLESS_MARKUP, list->items[i].name);
        text_addf(out, "\" value=\"%s\"/>\n", list->items[i].id);
    }
    text_add(out, "    </properties>\n");
    for (size_t i = 0; i < list->count; i++)
        case_add(&list->items[i], &arena, out);
    text_add(out, "    <system-out>");
    for (size_t i = 0; i < list->count; i++) {
        text_add(out, i > 0 ? "\n" : "");
        details_add(&list->items[i], &arena, out);
    }
    text_add(out, "</system-out>\n    <system-err/>\n  </testsuite>\n</testsuites>");
    return text_ok(out, "the verdicts", err);
}
