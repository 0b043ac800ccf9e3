/* What a worker is called in the database and in logs. */
#ifndef OPS_SERVE_WORKER_NAME_H
#define OPS_SERVE_WORKER_NAME_H

enum { WORKER_NAME_BYTES = 96 };

/* "host:process"; buffer holds WORKER_NAME_BYTES. */
void worker_name_make(char *buffer);

#endif
