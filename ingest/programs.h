/* The compiled programs of a profile: names, runs, fingerprints. */
#ifndef INGEST_PROGRAMS_H
#define INGEST_PROGRAMS_H

#include "ingest/profile.h"

/* Splits `module(123)`; false when the name is not of that form. */
bool module_split(const char *name, size_t *ret_length, uint64_t *ret_id);

/* environment.programs: one row per module name and fingerprint, most runs first. */
bool programs_build(struct profile *profile, struct environment *environment, struct err *err);

/* Orders of struct hlo_program: by what they are, and as rows stand in the table. */
int program_identity_order(const void *a, const void *b);
int program_order(const void *a, const void *b);

#endif
