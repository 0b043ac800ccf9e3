/* What a profiled program is written in, as far as its profile tells: advice is in its words.
 */
#ifndef INGEST_BREAKDOWN_FRAMEWORK_H
#define INGEST_BREAKDOWN_FRAMEWORK_H

#include "ingest/timeline/timeline.h"

enum framework {
    FRAMEWORK_ANY,   /* nothing tells it: words name several */
    FRAMEWORK_XLA,   /* compiled programs run in it: JAX, mostly */
    FRAMEWORK_TORCH, /* PyTorch's own profiler recorded it */
    FRAMEWORK_COUNT
};

/* As the file's writer, the programs that its ops name, or its kind of device tell. */
enum framework framework_of(const struct profile *profile);

/* Of words[FRAMEWORK_COUNT] those of the framework; where it has none of its own those of any. */
static inline const char *framework_words(enum framework framework, const char *const *words)
{
    return words[framework] != NULL ? words[framework] : words[FRAMEWORK_ANY];
}

#endif
