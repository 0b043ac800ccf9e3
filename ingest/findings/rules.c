#include "ingest/findings/rules.h"

bool finding_is_cut(const struct examined *host)
{
    for (size_t i = 0; host->profile != NULL && i < host->profile->space_count; i++)
        if (host->profile->spaces[i].unread_bytes > 0)
            return true;
    return false;
}

double finding_share(const struct examined *host, double us)
{
    const double whole_us = step_list_whole_us(host->steps);
    return whole_us > 0 ? us / whole_us : 0;
}

const char *finding_whole(const struct examined *host, char words[FINDING_WHOLE_BYTES])
{
    char whole[FORMAT_BYTES];
    (void)snprintf(words, FINDING_WHOLE_BYTES, "the %s %s",
                   format_duration(step_list_whole_us(host->steps), FINDING_DIGITS, whole),
                   !host->steps->items[0].times.numbered ? "of the capture"
                   : step_list_followed(host->steps)     ? "from a step to the next"
                                                         : "of the step");
    return words;
}
