/* The ops of a summary as programs tell them: what kernels of GPUs do (phase, category, shapes,
 * work) stands in the programs that launched them and not in the profile.
 *
 * They are a list of their own: ledgers know ops by what the profile says of them, and gates match
 * runs by it.
 */
#ifndef INGEST_OP_TABLES_PROGRAM_OPS_H
#define INGEST_OP_TABLES_PROGRAM_OPS_H

#include "ingest/op_tables/op_list.h"
#include "ingest/timeline/timeline.h"

/* Whether programs lie in the file or beside it; none is read. */
bool programs_are_there(const struct profile *profile);

/* The list of an open profile, finished, which is made once for all who ask and goes when the
 * profile is closed; its texts are the catalog's, and stay. Programs are read as far as the
 * profile's bound allows. Errors as of op_list_collect. */
bool op_list_of(struct profile *profile, const struct op_list **ret_list, struct err *err);

/* The program whose ops take most of the time, with its name (NULL: unknown); false: none is known
 * by its id. */
bool op_list_main_program(const struct op_list *list, uint64_t *ret_id, const char **ret_name);

/* Fills summary->program_ops and the share of time that programs told, where they told anything of
 * kernels; and says in the profile what they do not tell. Needs devices and ops of the summary.
 * ERR_LIMIT beyond the budget, errors as of op_list_collect. */
bool program_ops_build(struct profile *profile, struct summary *summary, struct err *err);

#endif
