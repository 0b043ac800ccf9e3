/* A letter: the bytes of one mail, made of the frozen message and the row that it belongs to
 * (RFC 5322, RFC 2046 §5.1.4).
 *
 * Deterministic: the same row gives the same bytes on every attempt, its Message-ID and Date among
 * them, by which a mail server or a reader knows a repeat.
 */
#ifndef ALERTS_MAIL_MAIL_H
#define ALERTS_MAIL_MAIL_H

#include "ops/net/smtp/smtp.h"
#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"
#include "ops/runtime/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Takes `from` and the comma-separated `to` apart. ERR_USAGE names what is no address of the form
 * NAME@DOMAIN in plain ASCII (other domains as xn--...), or that there are none or too many. */
bool mail_envelope_read(const char *from, const char *to, struct arena *arena,
                        struct smtp_envelope *ret_envelope, struct err *err);

/* "<id@domain>" with the domain of the sender, in the arena. The same row of the same destination
 * has the same one. */
const char *mail_id_make(const char *row_id, const char *destination, const char *from,
                         struct arena *arena);

/* true when the text has the form of a Message-ID and can stand in a field as it is. */
bool mail_id_fits(const char *text);

/* It stands in the HTML as "cid:NAME@stepledger". */
struct mail_picture {
    const char *name; /* plain ASCII without what a field needs quotes for */
    const char *data; /* base64 of a PNG */
};

struct mail_letter {
    const struct smtp_envelope *envelope;
    const char *subject, *text, *html; /* clean; lines ended by '\n' */
    const char *id;                    /* of mail_id_make */
    const char *thread;                /* Message-ID of the mail that this one follows; NULL */
    int64_t wall_us;
    const struct mail_picture *pictures;
    size_t picture_count;
};

/* Appends the letter, lines ended by "\r\n" and at most 998 bytes long, all ASCII. */
void mail_letter_add(const struct mail_letter *letter, struct text *out);

#endif
