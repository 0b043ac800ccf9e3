/* Events of hosts that tell of steps by their names alone: compilations, calls of compiled
 * functions, and waiting for them. */
#ifndef INGEST_HLO_HOST_WORDS_H
#define INGEST_HLO_HOST_WORDS_H

enum host_word {
    HOST_WORD_NONE,
    HOST_WORD_COMPILE,
    HOST_WORD_CALL,       /* of a compiled function, which need not wait for its device */
    HOST_WORD_EAGER_CALL, /* which ends when the function has */
    HOST_WORD_WAIT        /* for what was called */
};

/* What an event of this name is; HOST_WORD_NONE for all that no one knows. */
enum host_word host_word_of(const char *name);

#endif
