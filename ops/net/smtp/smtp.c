/* Implements the exchange on libcurl, whose own codes do not say what a server replied to: the
 * replies are read as they pass (it bounds their length itself), and how much of the letter has
 * left is counted. */
#include "ops/net/smtp/smtp.h"
#include "ops/net/guard.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
    PORT_RELAY = 25,
    PORT_SUBMISSIONS = 465,
    PORT_SUBMISSION = 587,
    CODE_CHARS = 3,
    MS_PER_S = 1000,
    GOOD_BYE = 221, /* the reply to QUIT, which comes when all is said */
    FAILURE = 400,  /* and above */
    DEFERRAL = 400, /* the server may take it later */
    REFUSAL = 500   /* for good */
};

static const uint16_t smtp_ports[] = {PORT_RELAY, PORT_SUBMISSIONS, PORT_SUBMISSION};

struct conversation {
    const struct smtp_exchange *exchange;
    struct guard guard;
    size_t given_bytes;
    int codes[SMTP_RECIPIENTS_MAX]; /* of the last replies, oldest first */
    size_t code_count;
    int recipient_codes[SMTP_RECIPIENTS_MAX]; /* when the letter was asked for */
    size_t recipient_count;
    char detail[16]; /* the enhanced code of the last reply */
    bool given;      /* the letter is with libcurl to its end */
    bool decided;    /* a reply came after that */
};

/* ---- what the server says ---- */

/* One line of a reply; the last one has no '-' behind the code. */
static size_t take_reply(char *line, size_t one, size_t length, void *user)
{
    struct conversation *talk = user;
    (void)one; /* always 1 */
    if (length < CODE_CHARS || talk->decided || (length > CODE_CHARS && line[CODE_CHARS] == '-'))
        return length;
    int code = 0;
    for (int i = 0; i < CODE_CHARS; i++) {
        if (!isdigit((unsigned char)line[i]))
            return length;
        code = code * 10 + (line[i] - '0');
    }
    if (code == GOOD_BYE)
        return length;
    /* "550 5.1.1 no such user": the digits behind the code, when they have that form. */
    unsigned class, subject, about;
    int used = 0;
    char copy[24];
    talk->detail[0] = '\0';
    size_t kept = length < sizeof copy ? length : sizeof copy - 1;
    memcpy(copy, line, kept);
    copy[kept] = '\0';
    if (sscanf(copy, "%*3u %1u.%3u.%3u%n", &class, &subject, &about, &used) == 3 &&
        (copy[used] == ' ' || copy[used] == '\r' || copy[used] == '\n'))
        (void)snprintf(talk->detail, sizeof talk->detail, "%u.%u.%u", class, subject, about);
    talk->decided = talk->given;
    if (talk->code_count == SMTP_RECIPIENTS_MAX) {
        talk->code_count--;
        memmove(talk->codes, talk->codes + 1, talk->code_count * sizeof talk->codes[0]);
    }
    talk->codes[talk->code_count++] = code;
    return length;
}

/* libcurl asks for the letter once the server has asked for it. */
static size_t give_letter(char *bytes, size_t one, size_t length, void *user)
{
    struct conversation *talk = user;
    size_t left = talk->exchange->length - talk->given_bytes, room = one * length;
    size_t now = left < room ? left : room;
    if (talk->given_bytes == 0) {
        talk->code_count -= talk->code_count > 0; /* the request for the letter itself */
        /* The last replies before the letter is asked for are those to its recipients. */
        size_t asked = talk->exchange->envelope->to_count;
        talk->recipient_count = asked < talk->code_count ? asked : talk->code_count;
        memcpy(talk->recipient_codes, talk->codes + talk->code_count - talk->recipient_count,
               talk->recipient_count * sizeof talk->codes[0]);
    }
    memcpy(bytes, talk->exchange->letter + talk->given_bytes, now);
    talk->given_bytes += now;
    talk->given = talk->given_bytes == talk->exchange->length;
    return now;
}

/* ---- the outcome ---- */

/* How many of the last replies are failures: those to all recipients, or the one that ended it. */
static size_t failures_last(const struct conversation *talk)
{
    size_t count = 0;
    while (count < talk->code_count && talk->codes[talk->code_count - 1 - count] >= FAILURE)
        count++;
    return count;
}

static enum http_outcome outcome_of(const struct conversation *talk, CURLcode code)
{
    if (talk->given)
        return talk->decided ? HTTP_ANSWERED : HTTP_LOST;
    if (guard_refused(&talk->guard))
        return HTTP_FORBIDDEN;
    if (code == CURLE_SSL_CACERT_BADFILE || code == CURLE_URL_MALFORMAT ||
        code == CURLE_UNSUPPORTED_PROTOCOL) /* these speak of the configuration */
        return HTTP_UNFIT;
    bool is_reply = code == CURLE_SEND_ERROR || code == CURLE_LOGIN_DENIED ||
                    code == CURLE_USE_SSL_FAILED || code == CURLE_WEIRD_SERVER_REPLY ||
                    code == CURLE_REMOTE_ACCESS_DENIED || code == CURLE_OK;
    return is_reply && failures_last(talk) > 0 ? HTTP_ANSWERED : HTTP_NOT_SENT;
}

int smtp_reply_decisive(const int *codes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (codes[i] >= DEFERRAL && codes[i] < REFUSAL)
            return codes[i];
    }
    return codes[count - 1];
}

bool smtp_perform(const struct http_policy *policy, const struct smtp_exchange *exchange,
                  struct arena *arena, struct smtp_reply *ret_reply, struct err *err)
{
    scoped_curl *curl = guard_handle_new();
    const struct smtp_envelope *envelope = exchange->envelope;
    scoped_curl_list *recipients = guard_list(envelope->to, envelope->to_count);
    struct conversation talk = {
        .exchange = exchange,
        .guard = {.policy = policy,
                  .ports = smtp_ports,
                  .port_count = sizeof smtp_ports / sizeof smtp_ports[0],
                  .plain = exchange->plain ? "smtp" : NULL},
    };
    /* The wait for a reply bounds also the good-bye, which comes when the outcome is known. */
    const struct guard_option options[] = {
        {CURLOPT_TIMEOUT_MS, policy->timeout_ms},
        {CURLOPT_SERVER_RESPONSE_TIMEOUT, (policy->timeout_ms + MS_PER_S - 1) / MS_PER_S},
        {CURLOPT_USE_SSL, exchange->plain ? CURLUSESSL_NONE : CURLUSESSL_ALL},
        {CURLOPT_MAIL_RCPT_ALLLOWFAILS, 1},
        {CURLOPT_UPLOAD, 1},
        {CURLOPT_URL, (intptr_t)exchange->url},
        {CURLOPT_PROTOCOLS_STR, (intptr_t) "smtp,smtps"},
        {CURLOPT_MAIL_FROM, (intptr_t)envelope->from},
        {CURLOPT_USERNAME, (intptr_t)exchange->user},
        {CURLOPT_PASSWORD, (intptr_t)exchange->password},
        {CURLOPT_LOGIN_OPTIONS, exchange->user == NULL ? 0 : (intptr_t) "AUTH=PLAIN;AUTH=LOGIN"},
        {CURLOPT_INFILESIZE_LARGE, (intptr_t)exchange->length},
        {CURLOPT_MAIL_RCPT, (intptr_t)recipients},
        {CURLOPT_HEADERFUNCTION, (intptr_t)take_reply},
        {CURLOPT_HEADERDATA, (intptr_t)&talk},
        {CURLOPT_READFUNCTION, (intptr_t)give_letter},
        {CURLOPT_READDATA, (intptr_t)&talk},
    };
    if (!guard_set(&talk.guard, curl, options, sizeof options / sizeof options[0], err))
        return false;
    CURLcode code = curl_easy_perform(curl);
    if (code == CURLE_OUT_OF_MEMORY && outcome_of(&talk, code) == HTTP_NOT_SENT)
        memory_end();
    /* The text for a code is constant; what the server said could echo what it was told and
     * is not shown. */
    struct smtp_reply reply = {.outcome = outcome_of(&talk, code)};
    if (reply.outcome == HTTP_ANSWERED) {
        size_t failures = talk.decided ? 1 : failures_last(&talk);
        reply.code = smtp_reply_decisive(talk.codes + talk.code_count - failures, failures);
        reply.at_greeting = code == CURLE_REMOTE_ACCESS_DENIED;
        reply.recipient_count = talk.recipient_count;
        memcpy(reply.recipient_codes, talk.recipient_codes, sizeof reply.recipient_codes);
        if (reply.code == talk.codes[talk.code_count - 1])
            memcpy(reply.detail, talk.detail, sizeof reply.detail);
    } else {
        reply.why = arena_strdup(arena, reply.outcome == HTTP_FORBIDDEN ? talk.guard.forbidden
                                                                        : guard_says(curl, code));
    }
    *ret_reply = reply;
    return true;
}
