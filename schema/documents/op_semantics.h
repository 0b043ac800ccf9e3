/* What the text of an op says: its canonical name, its semantic family, the floating-point work
 * that its shapes suggest.
 *
 * Pure rules of text, needed where summaries are made and where older ones are read. They equal the
 * reference tool's regular expressions, case folding and digits of every script included
 * (profile_summary.v1 §8, §9).
 */
#ifndef SCHEMA_DOCUMENTS_OP_SEMANTICS_H
#define SCHEMA_DOCUMENTS_OP_SEMANTICS_H

#include "ops/runtime/arena.h"
#include "schema/documents/optional.h"

/* name without white space around it, leading `%` and one trailing `.digits` (§8). */
char *op_canonical_name(struct arena *arena, const char *name);

/* Semantic family of a canonical name (§9): attention_splash, attention_flash, loss_xent, fusion,
 * copy, convert, collective or other. The result is static. */
const char *op_family(const char *canonical_name);

/* Work of one invocation in multiply-add pairs times two, guessed from the family and the shape
 * signature "1024,512|512" (§8). Absent when the signature is NULL or holds no number, and when the
 * guess is 0. */
struct opt_f64 op_flop_proxy(const char *family, const char *shape_signature);

#endif
