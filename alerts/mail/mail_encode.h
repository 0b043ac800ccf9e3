/* The text encodings of mail: header fields that are folded and hold ASCII alone (RFC 5322 §2.2.3,
 * RFC 2047), dates (RFC 5322 §3.3), and bodies as quoted-printable (RFC 2045 §6.7).
 *
 * Whatever a value holds, it stays within its field: nothing but printable ASCII and our own folds
 * is ever written, so that no name can begin another field or end the head.
 */
#ifndef ALERTS_MAIL_MAIL_ENCODE_H
#define ALERTS_MAIL_MAIL_ENCODE_H

#include "ops/runtime/text.h"

#include <stdint.h>

/* Appends "Name: value\r\n", folded at blanks to lines of at most 78 bytes where the words allow
 * it. For values of ours: printable ASCII without control characters. */
void mail_field_add(struct text *out, const char *name, const char *value);

/* The same for text of people, valid UTF-8: as it stands when it is plain ASCII in short words,
 * else as encoded words (charset utf-8, Q) of at most 75 bytes that end between code points. */
void mail_text_field_add(struct text *out, const char *name, const char *value);

enum { MAIL_DATE_BYTES = 40 };
/* "Sat, 21 Nov 2026 09:16:29 +0000"; buffer holds MAIL_DATE_BYTES. Returns buffer. */
const char *mail_date(int64_t wall_us, char *buffer);

/* Appends text (lines ended by '\n', valid UTF-8) as quoted-printable: lines of at most 76 bytes
 * ended by "\r\n", none of which is a boundary, a separator of mailboxes or the end of the letter,
 * whatever the text holds. */
void mail_quoted_add(struct text *out, const char *string);

#endif
