/* How many operations the model asks for in steady steps, which MFU is made of
 * (schema/documents/figures.h).
 */
#ifndef INGEST_OP_TABLES_MODEL_WORK_H
#define INGEST_OP_TABLES_MODEL_WORK_H

#include "ingest/op_tables/op_list.h"

/* Fills model_flops, own_ps, told_ps and model_flops_absent of a list that has ended. */
void model_work_measure(const struct op_list *ops, struct measured *measured);

#endif
