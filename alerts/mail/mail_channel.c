/* E-mail over SMTP: one mail per message, text and HTML of the same card (RFC 5321, RFC 5322).
 *
 * What follows on an alert names its first mail in In-Reply-To and References, so that readers show
 * one thread; the subject says how things stand. What is said is frozen; sender and recipients are
 * the configuration's, as a webhook's URL is. Message-ID and Date come from the row: after a lost
 * reply the same mail comes again, and mail servers and readers can tell.
 */
#include "alerts/card.h"
#include "alerts/channels.h"
#include "alerts/escape.h"
#include "alerts/mail/mail.h"
#include "alerts/mail/mail_reply.h"
#include "ops/net/url.h"
#include "ops/runtime/digest.h"

#include <string.h>

enum {
    PART_MAX_BYTES = 256 << 10,
    LETTER_MAX_BYTES = 16 << 20,
    MESSAGE_MAX_BYTES = 16 << 20,
    PICTURES_MAX = 8
};

static const struct escape_rule subject_rule = {ESCAPE_NONE, ESCAPE_CHARACTERS, 250},
                                text_rule = {ESCAPE_NONE, ESCAPE_CHARACTERS, 12000},
                                html_rule = {ESCAPE_HTML, ESCAPE_CHARACTERS, 12000};

static const char *const colours[CARD_LEVEL_COUNT] = {
    [CARD_GOOD] = "#2eb67d",    [CARD_WARN] = "#ecb22e", [CARD_BAD] = "#e01e5a",
    [CARD_NEUTRAL] = "#808080", [CARD_BUSY] = "#4a90d9",
};

/* ---- the frozen message ---- */

static void text_part_add(const struct card *card, struct text *out)
{
    const char *const parts[] = {card->title, card->reasons, card->ops, card->since, card->actions};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i][0] == '\0')
            continue;
        escape_add(out, parts[i], &text_rule);
        text_add(out, "\n\n");
    }
    if (card->link != NULL)
        text_addf(out, "%s\n", card->link);
}

static void html_block_add(struct text *out, const char *tag, const char *content)
{
    if (content[0] == '\0')
        return;
    text_addf(out, "<%s style=\"white-space: pre-wrap\">", tag);
    escape_add(out, content, &html_rule);
    text_addf(out, "</%s>\n", tag);
}

static void html_part_add(const struct card *card, const struct notice *notice, struct text *out)
{
    text_addf(out,
              "<!DOCTYPE html>\n<html>\n<body style=\"font-family: sans-serif\">\n"
              "<div style=\"border-left: 4px solid %s; padding-left: 12px\">\n",
              colours[card->level]);
    html_block_add(out, "h3", card->title);
    html_block_add(out, "p", card->reasons);
    html_block_add(out, "pre", card->ops);
    html_block_add(out, "p", card->since);
    html_block_add(out, "pre", card->actions);
    if (card->link != NULL) {
        text_add(out, "<p><a href=\"");
        escape_add(out, card->link, &html_rule);
        text_add(out, "\">Open the report</a></p>\n");
    }
    for (size_t i = 0; i < notice->picture_count && i < PICTURES_MAX; i++) {
        text_addf(out, "<p><img src=\"cid:%s@stepledger\" style=\"max-width: 100%%\" alt=\"",
                  notice->pictures[i].name);
        escape_add(out, notice->pictures[i].title, &html_rule);
        text_add(out, "\"></p>\n");
    }
    text_add(out, "</div>\n</body>\n</html>\n");
}

static bool body_build(const struct notice *notice, const struct destination *to,
                       struct arena *arena, struct message *ret_message, struct err *err)
{
    (void)to;
    struct card card = card_make(notice, arena);
    scoped_text text, html;
    text_init(&text, PART_MAX_BYTES);
    text_init(&html, PART_MAX_BYTES);
    text_part_add(&card, &text);
    html_part_add(&card, notice, &html);
    bool follows = phase_follows(notice->phase);
    json_t *body =
        json_pack("{s:o, s:o, s:o, s:b, s:b}", "subject", escape_json(card.title, &subject_rule),
                  "text", json_of_text(&text), "html", json_of_text(&html), "follows", follows,
                  "begins", follows || notice->phase == PHASE_FIRING);
    json_t *pictures = notice->picture_count > 0 ? json_array() : NULL; /* no empty member */
    for (size_t i = 0; i < notice->picture_count && i < PICTURES_MAX; i++) {
        const struct notice_picture *picture = &notice->pictures[i];
        char *data = arena_alloc(arena, BASE64_TEXT_BYTES(picture->byte_count));
        base64_encode(picture->bytes, picture->byte_count, data);
        (void)json_array_append_new(pictures,
                                    json_pack("{s:s, s:s}", "name", picture->name, "png", data));
    }
    if (pictures != NULL)
        (void)json_object_set_new(body, "pictures", pictures);
    return body_print_within(body, MESSAGE_MAX_BYTES, arena, ret_message, err);
}

/* ---- sending ---- */

/* A mail that follows another one, as far as a mail of the alert is known. */
static const char *thread_of(const struct sending *sending, const json_t *body)
{
    const char *thread = sending->request->thread_ref;
    bool follows = json_is_true(json_object_get(body, "follows"));
    return follows && thread != NULL && mail_id_fits(thread) ? thread : NULL;
}

static bool letter_print(struct sending *sending, const json_t *body,
                         const struct mail_letter *frame, struct text *out, struct err *err)
{
    struct mail_letter letter = *frame;
    letter.subject = json_string_value(json_object_get(body, "subject"));
    letter.text = json_string_value(json_object_get(body, "text"));
    letter.html = json_string_value(json_object_get(body, "html"));
    letter.thread = thread_of(sending, body);
    if (letter.subject == NULL || letter.text == NULL || letter.html == NULL)
        return err_set(err, ERR_INPUT, "the frozen message lacks subject, text or html");
    struct mail_picture pictures[PICTURES_MAX];
    const json_t *kept = json_object_get(body, "pictures");
    letter.pictures = pictures;
    for (size_t i = 0; i < json_array_size(kept) && i < PICTURES_MAX; i++) {
        const json_t *picture = json_array_get(kept, i);
        pictures[i] = (struct mail_picture){json_string_value(json_object_get(picture, "name")),
                                            json_string_value(json_object_get(picture, "png"))};
        if (pictures[i].name == NULL || pictures[i].data == NULL)
            return err_set(err, ERR_INPUT, "a picture of the frozen message lacks name or png");
        letter.picture_count++;
    }
    mail_letter_add(&letter, out);
    return text_ok(out, "a mail", err);
}

/* *ret_colon is where the secret, "USER:PASSWORD", parts; NULL: there is no login. */
static bool login_find(const struct sending *sending, bool is_plain, char **ret_colon,
                       struct err *err)
{
    *ret_colon = NULL;
    if (sending->key.text == NULL)
        return true;
    char *colon = strchr(sending->key.text, ':');
    if (colon == NULL || colon == sending->key.text || colon[1] == '\0')
        return err_set(err, ERR_USAGE, "secret: a mail server's login is written USER:PASSWORD");
    if (is_plain)
        return err_set(err, ERR_USAGE,
                       "secret: a login goes out over TLS alone; leave out allow_http, or use "
                       "smtps://");
    *ret_colon = colon;
    return true;
}

static bool message_check(const struct sending *sending, struct err *err)
{
    const struct destination *to = sending->to;
    struct smtp_envelope envelope;
    char *colon;
    bool smtps;
    return url_mail_check(sending->url.text, &smtps, err) &&
           mail_envelope_read(to->from, to->to, sending->arena, &envelope, err) &&
           login_find(sending, !smtps && to->policy.allow_http, &colon, err);
}

static bool message_place(const struct sending *sending, const char **ret_url, struct err *err)
{
    const char *our_name;
    return smtp_place(sending->to->helo, sending->url.text, sending->arena, ret_url, &our_name,
                      err);
}

/* ---- who is left ---- */

/* A recipient in the row: 16 digits of a hash, for it is nobody's business there. */
enum { MARK_CHARS = 16, MARKS_MAX_BYTES = SMTP_RECIPIENTS_MAX * (MARK_CHARS + 1) + 1 };

static void mark_make(const char *address, char out[SHA256_HEX_BYTES])
{
    sha256_hex(address, strlen(address), out);
    out[MARK_CHARS] = '\0';
}

/* The recipients who are not settled by an earlier attempt. */
static struct smtp_envelope envelope_left(const struct smtp_envelope *whole, const char *settled)
{
    struct smtp_envelope left = {.from = whole->from};
    for (size_t i = 0; i < whole->to_count; i++) {
        char mark[SHA256_HEX_BYTES];
        mark_make(whole->to[i], mark);
        if (settled == NULL || strstr(settled, mark) == NULL)
            left.to[left.to_count++] = whole->to[i];
    }
    return left;
}

/* ---- the outcome ---- */

static const char *reason_of(const struct sending *sending, const struct smtp_reply *reply,
                             const char *our_name, const char *why)
{
    struct arena *arena = sending->arena;
    const char *url = url_redacted(arena, sending->url.text);
    size_t deferred = mail_reply_deferred(reply), refused = mail_reply_refused(reply);
    if (reply->outcome != HTTP_ANSWERED)
        return arena_printf(arena, "%s: %s; %s", url, reply->why, why);
    const char *blank = reply->detail[0] == '\0' ? "" : " ";
    if (reply->at_greeting)
        return arena_printf(arena,
                            "%s: SMTP %d%s%s: the mail server does not accept our name %s; set "
                            "helo to a full name that it knows",
                            url, reply->code, blank, reply->detail, our_name);
    if (why != NULL)
        return arena_printf(arena, "%s: SMTP %d%s%s: %s", url, reply->code, blank, reply->detail,
                            why);
    /* A letter that was taken, but not for all. */
    if (deferred == 0)
        return arena_printf(arena, "%s: the mail server refuses %zu of the recipients", url,
                            refused);
    return arena_printf(arena,
                        "%s: the mail server took it for %zu of %zu recipients, refuses %zu for "
                        "good and puts off %zu, who are tried again alone",
                        url, reply->recipient_count - deferred - refused, reply->recipient_count,
                        refused, deferred);
}

/* Taken for some and put off for others is not done: the next attempt is for those alone. */
static void outcome_settle(struct sending *sending, const struct smtp_exchange *transfer,
                           const struct smtp_reply *reply, const char *remote_ref)
{
    const struct mail_meaning meaning = mail_reply_meaning(reply);
    bool refused = meaning.class == DELIVERY_PERMANENT, done = meaning.class == DELIVERY_DONE;
    bool in_part = done && mail_reply_deferred(reply) > 0;
    struct delivery delivery = {.class = in_part ? DELIVERY_RETRY : meaning.class,
                                .refusal = refused ? meaning.refusal : REFUSAL_NONE,
                                .http_status = reply->code,
                                .pause = meaning.pause,
                                .retry_after_ms = -1};
    if (done && !in_part)
        delivery.remote_ref = remote_ref;
    if (!done || in_part || mail_reply_refused(reply) > 0)
        delivery.reason = reason_of(sending, reply, transfer->our_name, meaning.why);
    *sending->delivery = delivery;
    if (!in_part)
        return;
    /* Those of before, and whoever was taken or refused for good now. */
    scoped_text out;
    text_init(&out, 2 * MARKS_MAX_BYTES);
    const char *before = sending->request->settled;
    text_add(&out, before == NULL ? "" : before);
    for (size_t i = 0; i < reply->recipient_count; i++) {
        char mark[SHA256_HEX_BYTES];
        mark_make(transfer->envelope->to[i], mark);
        if (reply->recipient_codes[i] / 100 != 4)
            text_addf(&out, "%s%s", out.length == 0 ? "" : " ", mark);
    }
    sending->delivery->settled = text_keep_start(&out, sending->arena);
}

static bool message_send(struct sending *sending, struct err *err)
{
    const struct destination *to = sending->to;
    struct smtp_envelope envelope, left;
    struct mail_letter letter = {.envelope = &envelope, .wall_us = sending->request->created_us};
    struct smtp_exchange transfer = {.envelope = &left};
    struct smtp_reply reply;
    bool smtps;
    scoped_text printed;
    text_init(&printed, LETTER_MAX_BYTES);
    scoped_json *body = sending_body(sending, err);
    if (body == NULL || !url_mail_check(sending->url.text, &smtps, err) ||
        !mail_envelope_read(to->from, to->to, sending->arena, &envelope, err))
        return false;
    left = envelope_left(&envelope, sending->request->settled);
    letter.id = mail_id_make(sending->request->message_id, to->name, to->from, sending->arena);
    transfer.plain = !smtps && to->policy.allow_http;
    char *colon;
    if (!login_find(sending, transfer.plain, &colon, err))
        return false;
    if (colon != NULL) { /* cut in place, where it is wiped */
        *colon = '\0';
        transfer.user = sending->key.text;
        transfer.password = colon + 1;
    }
    if (!smtp_place(to->helo, sending->url.text, sending->arena, &transfer.url, &transfer.our_name,
                    err) ||
        !letter_print(sending, body, &letter, &printed, err))
        return false;
    transfer.letter = printed.data;
    transfer.length = printed.length;
    const char *thread = thread_of(sending, body);
    bool begins = json_is_true(json_object_get(body, "begins"));
    const char *remote_ref = !begins ? NULL : thread != NULL ? thread : letter.id;
    if (left.to_count == 0) {
        /* Whoever was put off is no recipient any more. */
        *sending->delivery = (struct delivery){.class = DELIVERY_DONE,
                                               .retry_after_ms = -1,
                                               .reason = "nobody is left whom it was not sent to",
                                               .remote_ref = remote_ref};
        return true;
    }
    if (!smtp_perform(&to->policy, &transfer, sending->arena, &reply, err))
        return false;
    sending->is_begun = reply.outcome == HTTP_ANSWERED || reply.outcome == HTTP_LOST;
    outcome_settle(sending, &transfer, &reply, remote_ref);
    return true;
}

const struct channel channel_mail = {
    .kind = "mail",
    .needs = NEEDS_URL | NEEDS_ADDRESSES,
    .is_mail = true,
    .body_build = body_build,
    .check = message_check,
    .place = message_place,
    .send = message_send,
};
