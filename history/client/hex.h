/* Lower-case hex back to bytes, for the files of history/ only. The other way is text_hex. */
#ifndef HISTORY_CLIENT_HEX_H
#define HISTORY_CLIENT_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* true when `hex` is exactly 2 * count lower-case hex digits; fills out[count]. */
static inline bool hex_read(const char *hex, uint8_t *out, size_t count)
{
    for (size_t i = 0; i < 2 * count; i++) {
        char c = hex[i];
        bool digit = c >= '0' && c <= '9';
        if (!digit && !(c >= 'a' && c <= 'f'))
            return false;
        uint8_t value = (uint8_t)(digit ? c - '0' : c - 'a' + 10);
        out[i / 2] = (uint8_t)(i % 2 == 0 ? value << 4 : out[i / 2] | value);
    }
    return hex[2 * count] == '\0';
}

#endif
