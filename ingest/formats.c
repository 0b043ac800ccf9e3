/* The table of formats. */
#include "ingest/formats.h"

#include <string.h>

const struct profile_format profile_formats[] = {
    {"xplane_pb", ".xplane.pb", "XPlane file", xplane_summarize},
};
const size_t profile_format_count = sizeof profile_formats / sizeof profile_formats[0];

const struct profile_format *format_of_path(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < profile_format_count; i++) {
        size_t suffix = strlen(profile_formats[i].suffix);
        if (length >= suffix && strcmp(path + length - suffix, profile_formats[i].suffix) == 0)
            return &profile_formats[i];
    }
    return NULL;
}
