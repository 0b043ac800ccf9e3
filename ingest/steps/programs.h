/* The compiled programs of a profile: names, runs, fingerprints. */
#ifndef INGEST_STEPS_PROGRAMS_H
#define INGEST_STEPS_PROGRAMS_H

#include "ingest/timeline/timeline.h"

/* Splits `module(123)`; false when the name is not of that form. */
bool module_split(const char *name, size_t *ret_length, uint64_t *ret_id);

/* environment.programs: one row per module name and fingerprint, most runs first. */
bool programs_build(struct profile *profile, struct environment *environment, struct err *err);

/* The rows become environment.programs: those of one name and fingerprint are one with their runs
 * added up, most runs first. rows[total] is kept and changed. */
void program_rows_unite(struct environment *environment, struct hlo_program *rows, size_t total);

#endif
