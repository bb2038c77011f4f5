/* The messages before and after a run: one thread of each rank, which sleeps while it waits. */
#include "base/memory/fnv1a.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "study/ranks/rank_codec.h"
#include "study/ranks/ranks_run.h"
#include "study/store/study_json.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Rank 0 has ended earlier than this rank expects. */
static bough_status note_end(rank_session *s, rank_message *m, bough_error *error) {
    rank_reader r = {m->bytes + 1, m->bytes + m->size, false};
    RANK_GET(&r, s->code);
    s->ended = true;
    free(m->bytes);
    return bough_fail(error, BOUGH_FAILED, NULL, "rank 0 has ended");
}

/* Other kinds are ignored: beats that were on the way. Takes ownership of nothing but the message. */
static bough_status wait_for(rank_session *s, rank_kind kind, rank_message *message, bough_error *error) {
    const struct timespec nap = {0, 1000000};
    for (;;) {
        bool any = false;
        bough_status status = s->team->receive(s->team->context, message, &any, error);
        if (status) return status;
        if (any && message->size && message->bytes[0] == kind) return BOUGH_OK;
        if (any && message->size && message->bytes[0] == RANK_END) return note_end(s, message, error);
        if (any) free(message->bytes);
        if (!any) nanosleep(&nap, NULL);
    }
}

/* Frees the text. */
static bough_status send_text(const rank_team *t, unsigned to, bough_text *text, bough_error *error) {
    bough_status status = text->failed ? bough_fail_memory(error, text->length)
                                       : t->send(t->context, to, text->data, text->length, error);
    bough_text_fini(text);
    return status;
}

static bough_status send_all(const rank_team *t, const bough_text *text, bough_error *error) {
    bough_status status = text->failed ? bough_fail_memory(error, text->length) : BOUGH_OK;
    for (unsigned r = 1; r < t->ranks && !status; r++)
        status = t->send(t->context, r, text->data, text->length, error);
    return status;
}

/* Another rank waits for a message that does not come. */
static bough_status lost_if(rank_session *s, bough_status status) {
    if (status && !s->ended) s->lost = true;
    return status;
}

/* ---- standard input ---- */

bough_status ranks_share_input(rank_session *s, char **text, size_t *size, bough_error *error) {
    bough_status status = BOUGH_OK;
    rank_message m;
    if (s->team->rank == 0) {
        bough_text out = {0};
        rank_put_kind(&out, RANK_TEXT);
        if (*text) bough_text_add(&out, *text, *size);
        status = lost_if(s, send_all(s->team, &out, error));
        bough_text_fini(&out);
        return status;
    }
    status = wait_for(s, RANK_TEXT, &m, error);
    if (status) return status;
    *size = m.size - 1;
    memmove(m.bytes, m.bytes + 1, *size);
    m.bytes[*size] = 0;
    *text = (char *)m.bytes;
    return BOUGH_OK;
}

/* ---- agreeing ---- */

bough_status ranks_hash(const bough_study *study, const char *version, uint64_t *hash, bough_error *error) {
    char *question = question_write(study), *view = view_write(study);
    const uint64_t order = 1; /* its bytes differ between machines */
    const char *const part[] = {question, view, version};
    *hash = bough_fnv1a(BOUGH_FNV1A_START, (const char *)&order, sizeof order);
    for (size_t i = 0; i < sizeof part / sizeof *part && part[i]; i++)
        *hash = bough_fnv1a(*hash, part[i], strlen(part[i]) + 1);
    bool whole = question && view;
    FREE_ALL(question, view);
    return whole ? BOUGH_OK
                 : bough_fail(error, BOUGH_INVALID, study->source,
                              "a spec is not UTF-8, or memory is short: the ranks cannot compare the study");
}

static void read_report(const rank_message *m, rank_report *report) {
    rank_reader r = {m->bytes + 1, m->bytes + m->size, false};
    RANK_GET(&r, report->code);
    RANK_GET(&r, report->hash);
    rank_get_error(&r, &report->error);
    if (r.failed) report->code = 1;
}

/* The verdict of rank 0 on one report. */
static int judge(const rank_report *mine, const rank_report *theirs, unsigned rank, bough_error *error) {
    if (theirs->code) {
        const bough_error *e = &theirs->error;
        const char *why = *e->reason ? e->reason : "it cannot read what rank 0 can";
        bough_fail(error, e->status ? e->status : BOUGH_INVALID, NULL, "rank %u: %s%s%s", rank, e->place,
                   *e->place ? ": " : "", why);
        return theirs->code;
    }
    if (theirs->hash == mine->hash) return 0;
    bough_fail(
        error, BOUGH_INVALID, NULL,
        "rank %u has another study than rank 0: its files, plug-ins or bough itself differ; use the same "
        "on all machines",
        rank);
    return bough_status_exit(BOUGH_INVALID);
}

static int agree_first(rank_session *s, const rank_report *mine, bough_error *error) {
    const rank_team *t = s->team;
    int code = mine->code;
    bough_status status = BOUGH_OK;
    for (unsigned r = 1; r < t->ranks && !status; r++) {
        rank_message m;
        rank_report theirs = {0};
        status = wait_for(s, RANK_HELLO, &m, error);
        if (status) break;
        read_report(&m, &theirs);
        if (!code) code = judge(mine, &theirs, m.from, error);
        free(m.bytes);
    }
    bough_text out = {0};
    rank_put_kind(&out, RANK_VERDICT);
    if (status) code = bough_status_exit(status);
    RANK_PUT(&out, code);
    status = lost_if(s, send_all(t, &out, error));
    bough_text_fini(&out);
    return status ? bough_status_exit(status) : code;
}

static int agree_other(rank_session *s, const rank_report *mine, bough_error *error) {
    bough_text out = {0};
    rank_message m;
    int code = 1;
    rank_put_kind(&out, RANK_HELLO);
    RANK_PUT(&out, mine->code);
    RANK_PUT(&out, mine->hash);
    rank_put_error(&out, &mine->error);
    bough_status status = send_text(s->team, 0, &out, error);
    TRY(wait_for(s, RANK_VERDICT, &m, error));
    if (lost_if(s, status)) return bough_status_exit(status);
    rank_reader r = {m.bytes + 1, m.bytes + m.size, false};
    RANK_GET(&r, code);
    free(m.bytes);
    return r.failed ? 1 : code;
}

int ranks_agree(rank_session *s, const rank_report *mine, bough_error *error) {
    *error = (bough_error){0};
    if (s->lost) return mine->code;
    return s->team->rank == 0 ? agree_first(s, mine, error) : agree_other(s, mine, error);
}

/* ---- start and end ---- */

bough_status ranks_begin(rank_session *s, bough_error *error) {
    bough_text out = {0};
    rank_message m;
    if (s->team->rank) {
        bough_status status = wait_for(s, RANK_START, &m, error);
        if (!status) free(m.bytes);
        return s->ended ? BOUGH_OK : lost_if(s, status);
    }
    rank_put_kind(&out, RANK_START);
    bough_status status = send_all(s->team, &out, error);
    bough_text_fini(&out);
    return status;
}

int ranks_end(rank_session *s, int code) {
    bough_error error;
    bough_text out = {0};
    rank_message m;
    if (s->team->rank == 0) {
        rank_put_kind(&out, RANK_END);
        RANK_PUT(&out, code);
        send_all(s->team, &out, &error);
        bough_text_fini(&out);
        return code;
    }
    if (s->ended) return s->code;
    if (s->lost || wait_for(s, RANK_END, &m, &error)) return code ? code : 1;
    rank_reader r = {m.bytes + 1, m.bytes + m.size, false};
    RANK_GET(&r, code);
    free(m.bytes);
    return code;
}
