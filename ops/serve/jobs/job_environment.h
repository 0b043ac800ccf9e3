/* The environment of the process that reads one profile. */
#ifndef OPS_SERVE_JOBS_JOB_ENVIRONMENT_H
#define OPS_SERVE_JOBS_JOB_ENVIRONMENT_H

/* Keeps what reading a profile and reaching the ledger need (folders, language, libpq's variables)
 * and wipes the rest, /proc/PID/environ included: a service is given tokens and keys by its
 * environment, and whoever takes over a parser must not find them there. Call it in the process
 * itself, before it has threads; texts that getenv gave for the rest are gone. */
void job_environment_wipe(void);

#endif
