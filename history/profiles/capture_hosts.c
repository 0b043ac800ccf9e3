#include "history/profiles/capture_hosts.h"

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "history/profiles/identity.h"
#include "history/profiles/ledger_rows.h"

enum { SHA256_SIZE = 32 };

bool capture_hosts_add(struct pipeline *pipeline, const struct rows_owner *owner,
                       const struct profile_identity *identity, const struct summary *summary,
                       struct section_digest *ret_digest, struct err *err)
{
    const struct capture *capture = &summary->capture;
    const size_t count = identity->hosts == NULL ? 0 : capture->host_count;
    uint8_t digest[SHA256_SIZE];
    struct copy copy;
    for (size_t i = 0; i < count; i++)
        if (!hex_read(capture->hosts[i].sha256, digest, sizeof digest))
            return err_set(err, ERR_INPUT,
                           "the hash of a host's file is \"%.80s\", not 64 lower-case hex digits",
                           capture->hosts[i].sha256);
    copy_begin_arrays(&copy, Q_capture_hosts_add);
    for (size_t i = 0; i < count; i++) {
        const struct capture_host *host = &capture->hosts[i];
        (void)hex_read(host->sha256, digest, sizeof digest);
        copy_row(&copy);
        copy_values(&copy, owner->profile_id, (int32_t)i);
        copy_bytes(&copy, digest, sizeof digest);
        copy_values(&copy, host->host, host->process, host->begin_ns, host->end_ns, capture->key,
                    identity->hosts[i].job, identity->hosts[i].document);
    }
    return copy_end_arrays(&copy, pipeline, ret_digest, err);
}

static const struct row_kind kept = {
    ROWS(Q_capture_hosts_kept, struct host_record, "the hosts of a capture", job, document)};
static const struct row_kind neighbours = {
    ROWS(Q_capture_neighbours, struct capture_neighbour, "the captures of a workload", profile_id,
         run, branch, commit, in_job, sha256, document, format, path)};
static const struct row_kind alike = {ROWS(Q_captures_alike, struct alike_capture,
                                           "the captures of a workload", profile_id, run, branch,
                                           commit, retracted)};

bool ledger_hosts_kept(struct db *db, int64_t profile_id, struct arena *arena,
                       struct host_record_list *ret_hosts, struct err *err)
{
    return rows_read(db, &kept, ARGS(profile_id), arena, ret_hosts, err);
}

static bool scope_check(const char *project, const char *workload, struct err *err)
{
    return identity_check(&(struct profile_identity){.project = project, .workload = workload},
                          err);
}

bool ledger_capture_neighbours(struct db *db, const struct capture_query *query, bool documents,
                               struct arena *arena, struct neighbour_list *ret_list,
                               struct err *err)
{
    if (!scope_check(query->project, query->workload, err))
        return false;
    return rows_read(db, &neighbours,
                     ARGS(query->project, query->workload, query->key, query->job, query->run,
                          query->begin_ns, query->end_ns, query->timed, documents),
                     arena, ret_list, err);
}

bool ledger_captures_alike(struct db *db, const struct alike_query *query, struct arena *arena,
                           struct alike_list *ret_list, struct err *err)
{
    if (!scope_check(query->project, query->workload, err))
        return false;
    return rows_read(db, &alike,
                     ARGS(query->project, query->workload, query->format, query->steps,
                          query->step_us, query->ops_us),
                     arena, ret_list, err);
}

bool ledger_workload_hold(struct db *db, const char *project, const char *workload, struct err *err)
{
    int64_t project_id;
    if (!scope_check(project, workload, err) || !project_find_or_add(db, project, &project_id, err))
        return false;
    return query_do(db, Q_workload_lock, ARGS(project_id, workload), err);
}
