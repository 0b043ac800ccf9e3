/* Implements letters: addresses by their grammar, ids by digest, and one fixed form. */
#include "alerts/mail/mail.h"
#include "alerts/mail/mail_encode.h"
#include "alerts/message.h"
#include "alerts/route.h"

#include <string.h>

enum { LOCAL_MAX_BYTES = 64, ADDRESS_MAX_BYTES = 254, ID_MAX_BYTES = 400, ID_CHARS = 40 };

/* In quoted-printable '=' is always followed by two hex digits or the end of the line: no line of
 * a part can be this one. */
#define BOUNDARY "=_stepledger"
#define BOUNDARY_OF_ALL "=_all_stepledger"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
static const char local_chars[] = LETTERS "!#$%&'*+/=?^_`{|}~-.", domain_chars[] = LETTERS "-.";

/* Dots stand between other characters (dot-atom, RFC 5322 §3.2.3). */
static bool is_dotted(const char *part, size_t length, const char *allowed)
{
    return length > 0 && strspn(part, allowed) >= length && part[0] != '.' &&
           part[length - 1] != '.' && memmem(part, length, "..", 2) == NULL;
}

static bool address_check(const char *text, struct err *err)
{
    const char *at = strchr(text, '@');
    return (at != NULL && at - text <= LOCAL_MAX_BYTES && strlen(text) <= ADDRESS_MAX_BYTES &&
            is_dotted(text, (size_t)(at - text), local_chars) &&
            is_dotted(at + 1, strlen(at + 1), domain_chars) && at[1] != '-') ||
           err_set(err, ERR_USAGE, "'%s' must be an address such as team@example.com", text);
}

bool mail_envelope_read(const char *from, const char *to, struct arena *arena,
                        struct smtp_envelope *ret_envelope, struct err *err)
{
    struct smtp_envelope envelope = {.from = from};
    const char *name;
    if (!address_check(from, err))
        return false;
    while ((name = route_next_name(&to, arena)) != NULL) {
        if (envelope.to_count == SMTP_RECIPIENTS_MAX)
            return err_set(err, ERR_USAGE, "more than %d addresses; use a mailing list",
                           SMTP_RECIPIENTS_MAX);
        if (!address_check(name, err))
            return false;
        envelope.to[envelope.to_count++] = name;
    }
    if (envelope.to_count == 0)
        return err_set(err, ERR_USAGE, "there is no address in it");
    *ret_envelope = envelope;
    return true;
}

/* ---- ids ---- */

const char *mail_id_make(const char *row_id, const char *destination, const char *from,
                         struct arena *arena)
{
    const char *const parts[] = {"mail", destination, row_id};
    char digest[SHA256_HEX_BYTES];
    message_digest(parts, sizeof parts / sizeof parts[0], digest);
    return arena_printf(arena, "<%.*s.stepledger%s>", ID_CHARS, digest, strchr(from, '@'));
}

bool mail_id_fits(const char *text)
{
    size_t length = strlen(text);
    char inner[ID_MAX_BYTES];
    if (length < 2 || length >= sizeof inner || text[0] != '<' || text[length - 1] != '>')
        return false;
    memcpy(inner, text + 1, length - 2);
    inner[length - 2] = '\0';
    const char *at = strchr(inner, '@');
    return at != NULL && is_dotted(inner, (size_t)(at - inner), local_chars) &&
           is_dotted(at + 1, strlen(at + 1), domain_chars);
}

/* ---- the letter ---- */

static void recipients_add(struct text *out, const struct smtp_envelope *envelope)
{
    scoped_text list;
    text_init(&list, (size_t)SMTP_RECIPIENTS_MAX * (ADDRESS_MAX_BYTES + 2));
    for (size_t i = 0; i < envelope->to_count; i++)
        text_addf(&list, "%s%s", i == 0 ? "" : ", ", envelope->to[i]);
    text_fail_as(out, &list);
    mail_field_add(out, "To", text_string(&list));
}

static void part_add(struct text *out, const char *type, const char *content)
{
    text_addf(out, "--" BOUNDARY "\r\nContent-Type: %s; charset=utf-8\r\n", type);
    text_add(out, "Content-Transfer-Encoding: quoted-printable\r\n\r\n");
    mail_quoted_add(out, content);
    text_add(out, "\r\n");
}

static void texts_add(const struct mail_letter *letter, struct text *out)
{
    mail_field_add(out, "Content-Type", "multipart/alternative; boundary=\"" BOUNDARY "\"");
    text_add(out, "\r\n");
    part_add(out, "text/plain", letter->text);
    part_add(out, "text/html", letter->html);
    text_add(out, "--" BOUNDARY "--\r\n");
}

static void picture_add(const struct mail_picture *picture, struct text *out)
{
    enum { LINE_CHARS = 76 };
    text_add(out, "--" BOUNDARY_OF_ALL "\r\nContent-Type: image/png\r\n"
                  "Content-Transfer-Encoding: base64\r\n");
    text_addf(out, "Content-ID: <%s@stepledger>\r\n", picture->name);
    text_addf(out, "Content-Disposition: inline; filename=\"%s\"\r\n\r\n", picture->name);
    for (const char *p = picture->data; *p != '\0';) {
        size_t length = strnlen(p, LINE_CHARS);
        text_addn(out, p, length);
        text_add(out, "\r\n");
        p += length;
    }
}

void mail_letter_add(const struct mail_letter *letter, struct text *out)
{
    char date[MAIL_DATE_BYTES];
    text_addf(out, "From: stepledger <%s>\r\n", letter->envelope->from);
    recipients_add(out, letter->envelope);
    mail_text_field_add(out, "Subject", letter->subject);
    mail_field_add(out, "Date", mail_date(letter->wall_us, date));
    mail_field_add(out, "Message-ID", letter->id);
    if (letter->thread != NULL) {
        mail_field_add(out, "In-Reply-To", letter->thread);
        mail_field_add(out, "References", letter->thread);
    }
    mail_field_add(out, "Auto-Submitted", "auto-generated");
    mail_field_add(out, "MIME-Version", "1.0");
    if (letter->picture_count == 0) {
        texts_add(letter, out);
        return;
    }
    mail_field_add(out, "Content-Type",
                   "multipart/related; type=\"multipart/alternative\"; boundary=\"" BOUNDARY_OF_ALL
                   "\"");
    text_add(out, "\r\n--" BOUNDARY_OF_ALL "\r\n");
    texts_add(letter, out);
    for (size_t i = 0; i < letter->picture_count; i++)
        picture_add(&letter->pictures[i], out);
    text_add(out, "--" BOUNDARY_OF_ALL "--\r\n");
}
