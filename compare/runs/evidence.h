/* Hashes of what a verdict rests on. Internal to compare/. */
#ifndef COMPARE_RUNS_EVIDENCE_H
#define COMPARE_RUNS_EVIDENCE_H

#include "compare/provenance/provenance.h"

/* Fills policy_sha256 and evidence_sha256. The evidence is a text of the profiles that took part
 * (id, run, trace hash), the policy's hash, the rule and every figure that was read from them, so
 * that whoever holds the inputs can make it again. given: the policy as it was asked for, before
 * attempts made it stricter. ERR_LIMIT, ERR_BUG (no SHA-256). */
bool evidence_seal(struct gate_state *judgement, const struct gate_policy *given,
                   const struct profile_sets *sets, struct err *err);

#endif
