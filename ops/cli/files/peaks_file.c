#include "ops/cli/files/peaks_file.h"

#include <string.h>

/* Hundreds of times what a device has: a larger one is in another unit. */
enum { PEAK_MAX = 1000000 };

bool peaks_file_read(const char *path, struct arena *arena, struct device_limits *ret_limits,
                     struct err *err)
{
    struct conf_file file = {0};
    struct device_limits limits = {.flops_source = path, .bytes_source = path};
    if (!conf_file_read(path, arena, &file, err))
        return false;
    for (size_t i = 0; i < file.count; i++) {
        const struct conf_entry *entry = &file.entries[i];
        const bool is_flops = strcmp(entry->key, "tflops") == 0;
        double value;
        if (entry->section[0] != '\0' || (!is_flops && strcmp(entry->key, "hbm_gb_per_s") != 0))
            return err_set(err, ERR_INPUT,
                           "%s:%d: '%s' is none of tflops (10^12 operations a second of one "
                           "device) and hbm_gb_per_s (10^9 bytes a second), without a section",
                           path, entry->line, entry->key);
        if (!conf_entry_once(&file, i, err))
            return false;
        if (!text_parse_double(entry->value, &value) || !(value > 0) || value > PEAK_MAX)
            return err_set(err, ERR_INPUT,
                           "%s:%d: %s = %s: expected a number above 0, at most %d, of %s of one "
                           "device (an H100 has %s)",
                           path, entry->line, entry->key, entry->value, PEAK_MAX,
                           is_flops ? "10^12 operations a second" : "10^9 bytes a second",
                           is_flops ? "989" : "3350");
        *(is_flops ? &limits.flops_per_s : &limits.bytes_per_s) =
            some_f64(value * (is_flops ? 1e12 : 1e9));
    }
    if (file.count == 0)
        return err_set(err, ERR_INPUT,
                       "'%s' says neither tflops nor hbm_gb_per_s: write a line such as "
                       "`tflops = 989`",
                       path);
    *ret_limits = limits;
    return true;
}
