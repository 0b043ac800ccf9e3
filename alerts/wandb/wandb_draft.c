/* Makes what a publication is known by: digests of its documents, and ids that are the same for
 * every attempt. */
#include "alerts/wandb/wandb_commit.h"
#include "ops/runtime/text.h"

#include <string.h>

static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";

/* 128 characters of [a-z0-9], made from hashes of the draft's place, content and a label: random to
 * everyone else, and the same in every attempt. */
static bool client_id_make(const struct wandb_draft *draft, const char *label,
                           char out[WANDB_CLIENT_ID_BYTES], struct err *err)
{
    const char *const parts[] = {draft->client->entity.text,
                                 draft->client->project.text,
                                 draft->publication->artifact_type,
                                 draft->publication->artifact_name,
                                 draft->digest,
                                 draft->run,
                                 label};
    for (size_t made = 0; made < WANDB_CLIENT_ID_BYTES - 1; made += SHA256_BYTES) {
        uint8_t raw[SHA256_BYTES], block = (uint8_t)made;
        scoped_sha256 *state = sha256_new(err);
        if (state == NULL)
            return false;
        sha256_add(state, &block, 1);
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            sha256_add(state, parts[i], strlen(parts[i]) + 1);
        if (!sha256_finish(state, raw, err))
            return false;
        for (size_t i = 0; i < SHA256_BYTES; i++)
            out[made + i] = letters[raw[i] % (sizeof letters - 1)];
    }
    out[WANDB_CLIENT_ID_BYTES - 1] = '\0';
    return true;
}

bool wandb_draft_make(struct wandb_draft *draft, struct err *err)
{
    const struct wandb_publication *publication = draft->publication;
    size_t count = publication->document_count;
    draft->entries = arena_array(draft->arena, struct wandb_entry, count);
    draft->birth_ids = arena_array(draft->arena, const char *, count);
    for (size_t i = 0; i < count; i++) {
        const struct wandb_document *document = &publication->documents[i];
        char digest[MD5_BASE64_BYTES];
        if (!wandb_file_digest(document->bytes, document->length, digest, err))
            return false;
        draft->entries[i].path = document->name;
        draft->entries[i].digest = arena_strdup(draft->arena, digest);
    }
    if (!wandb_artifact_digest(draft->entries, count, draft->arena, draft->digest, err))
        return false;
    const struct string_list *asked = &publication->aliases;
    const char **items = arena_array(draft->arena, const char *, asked->count + 1);
    draft->aliases = (struct string_list){items, 0};
    for (size_t i = 0; i <= asked->count; i++) {
        const char *alias = i < asked->count ? asked->items[i] : "latest";
        if (text_index(alias, items, draft->aliases.count) == draft->aliases.count)
            items[draft->aliases.count++] = alias;
    }
    return client_id_make(draft, "artifact", draft->client_id, err) &&
           client_id_make(draft, "sequence", draft->sequence_id, err);
}
