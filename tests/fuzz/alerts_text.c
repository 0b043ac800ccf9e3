/* Fuzz target: the small readers of alerts/, which see text from receivers, profiles and the
 * configuration. The input is one text; each reader gets it, and what it returns is held against
 * what its header promises. */
#include "ops/net/address.h"
#include "ops/net/pace.h"
#include "ops/net/url.h"
#include "ops/runtime/digest.h"
#include "ops/runtime/text_harmless.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_BYTES = 1 << 20, CHARS = 40, DAY_MS = 24 * 60 * 60 * 1000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool promise)
{
    if (!promise)
        abort();
}

static void check_clean(const char *input)
{
    scoped_text out;
    text_init(&out, MEMORY_BYTES);
    clean_add(&out, input, CHARS, "");
    const char *text = text_string(&out);
    require(text_utf8_valid(text, out.length) == out.length);
    size_t count = 0;
    for (const char *p = text, *end = text + out.length; p < end; count++) {
        uint32_t c = text_utf8_next(&p, end);
        require(c >= ' ' && (c < 0x7F || c > 0x9F));
    }
    require(count <= CHARS);
}

static void check_list(const char *input, struct arena *arena)
{
    struct cidr_list list;
    if (!cidr_list_parse(input, arena, &list, NULL))
        return;
    for (size_t i = 0; i < list.count; i++)
        require(list.items[i].prefix_bits <= (list.items[i].ipv6 ? 128 : 32));
}

static void check_base64(const char *input, struct arena *arena)
{
    size_t size = strlen(input), length = 0;
    uint8_t *bytes = arena_alloc(arena, size / 4 * 3 + 1);
    char *again = arena_alloc(arena, size + 5);
    if (bytes == NULL || again == NULL || !base64_decode(input, bytes, &length))
        return;
    base64_encode(bytes, length, again);
    require(strcmp(again, input) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scoped_arena arena;
    arena_init(&arena, MEMORY_BYTES);
    const char *input = arena_strndup(&arena, (const char *)data, size);
    if (input == NULL)
        return 0;
    check_clean(input);
    check_list(input, &arena);
    check_base64(input, &arena);
    int64_t ms = retry_after_ms(input, INT64_C(784111740) * 1000000);
    require(ms >= -1 && ms <= DAY_MS);
    (void)url_check(input, true, NULL);
    const char *shown = url_redacted(&arena, input);
    require(shown == NULL || strstr(shown, "(url ") != NULL);
    return 0;
}
