#include "ingest/wire/progress.h"

void progress_init(struct progress *progress, const struct ingest_options *options)
{
    *progress = (struct progress){.report = options->progress,
                                  .context = options->progress_context,
                                  .told = ATOMIC_FLAG_INIT};
}

void progress_expect(struct progress *progress, int64_t bytes)
{
    atomic_fetch_add(&progress->total, bytes);
}

void progress_tell(struct progress *progress)
{
    if (progress->report == NULL || atomic_flag_test_and_set(&progress->told))
        return;
    progress->report(progress->context, atomic_load(&progress->done),
                     atomic_load(&progress->total));
    atomic_flag_clear(&progress->told);
}

void progress_add(struct progress *progress, int64_t bytes)
{
    atomic_fetch_add(&progress->done, bytes);
    if (bytes != 0)
        progress_tell(progress);
}
