/* Implements the two forms of Retry-After; dates are read by libcurl, which knows all three
 * spellings of HTTP. */
#include "ops/net/retry_after.h"
#include "ops/runtime/text.h"

#include <ctype.h>
#include <curl/curl.h>
#include <math.h>

enum { MS_PER_SECOND = 1000, US_PER_MS = 1000 };

/* Longer than any message lives; also keeps a hostile value from parking a destination for ever. */
static const int64_t longest_ms = 24LL * 60 * 60 * 1000;

static int64_t bounded(double ms)
{
    if (ms < 0)
        return 0;
    return ms > (double)longest_ms ? longest_ms : (int64_t)ceil(ms);
}

int64_t retry_after_ms(const char *text, int64_t now_us)
{
    double seconds;
    if (isdigit((unsigned char)text[0]) && text_parse_double(text, &seconds))
        return bounded(seconds * MS_PER_SECOND);
    time_t when = curl_getdate(text, NULL);
    if (when == -1)
        return -1;
    return bounded((double)when * MS_PER_SECOND - (double)now_us / US_PER_MS);
}
