/* The steps by which an artifact becomes a version, one round of them:
 * what a publication repeats when another writer was faster. */
#ifndef ALERTS_WANDB_WANDB_COMMIT_H
#define ALERTS_WANDB_WANDB_COMMIT_H

#include "alerts/wandb/wandb_publication.h"
#include "ops/net/wandb/wandb.h"

enum { WANDB_CLIENT_ID_BYTES = 129 };

/* An artifact on its way. */
struct wandb_draft {
    struct wandb_client *client; /* entity and project as the service spells them */
    const struct wandb_publication *publication;
    struct arena *arena;
    const char *run; /* id of the publishing run */
    char client_id[WANDB_CLIENT_ID_BYTES], sequence_id[WANDB_CLIENT_ID_BYTES];
    struct wandb_entry *entries; /* one per document */
    char digest[MD5_HEX_BYTES];
    struct string_list aliases; /* those asked for and `latest`, each once */
    struct pace_gate gate;      /* of the storage */
    const char *artifact_id, *base_id, *manifest_id;
    const char **birth_ids; /* one per document */
    char manifest_digest[MD5_BASE64_BYTES];
};

/* Makes digests, aliases and ids from the publication; sends nothing. ERR_BUG. */
bool wandb_draft_make(struct wandb_draft *draft, struct err *err);

/* One round, until the version is committed. *ret_unchanged: it was before, and nothing was sent.
 * ERR_CONFLICT: another writer committed meanwhile, begin another round. */
bool wandb_draft_commit(struct wandb_draft *draft, bool *ret_unchanged, struct err *err);

/* Reads the committed version back and adds the aliases that it lacks; *ret_version is "v3". */
bool wandb_draft_confirm(struct wandb_draft *draft, const char **ret_version, struct err *err);

/* Fetches the manifest back and compares. ERR_INPUT: the service lists the version but its manifest
 * is another one, or none. */
bool wandb_draft_verify(struct wandb_draft *draft, struct err *err);

#endif
