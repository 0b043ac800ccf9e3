/* The tables that describe struct summary in JSON, for the writer, the reader and the answers that
 * show parts of it. */
#ifndef SCHEMA_DOCUMENTS_SUMMARY_RECORDS_H
#define SCHEMA_DOCUMENTS_SUMMARY_RECORDS_H

#include "schema/documents/record.h"

/* profile_summary.v1 and, apart, the members that we add to the same object. */
extern const struct record summary_v1_record;
extern const struct record summary_ours_record;

/* Rows of profile_summary.v1 that queries answer with. */
extern const struct record hot_op_record;
extern const struct record communication_op_record;
extern const struct record gap_before_op_record;
extern const struct record hierarchical_region_record;
extern const struct record gap_region_context_record;
extern const struct record optimization_candidate_record;

/* Rows of ours. */
extern const struct record step_row_record;
extern const struct record device_row_record;
extern const struct record op_row_record;
extern const struct record fact_record;
extern const struct record figure_record;
extern const struct record hlo_program_record;

#endif
