/* The messages before and after a run: one thread of each rank, which sleeps while it waits. */
#include "base/memory/fnv1a.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "study/ranks/rank_message.h"
#include "study/ranks/ranks_run.h"
#include "study/run/point_binding.h"
#include "study/store/study_json.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Other kinds are ignored: beats that were on the way. *message is to be freed unless the call fails. */
static bough_status wait_for(rank_session *s, rank_kind kind, rank_message *message, bough_error *error) {
    const struct timespec nap = {0, 1000000};
    for (;;) {
        bool any = false;
        bough_status status = s->team->receive(s->team->context, message, &any, error);
        if (status) return status;
        if (!any) {
            nanosleep(&nap, NULL);
            continue;
        }
        if (message->size && message->bytes[0] == kind) return BOUGH_OK;
        s->ended = message->size && message->bytes[0] == RANK_END; /* earlier than this rank expects */
        if (s->ended) message_read(message, &s->code, sizeof s->code);
        free(message->bytes);
        if (s->ended) return bough_fail(error, BOUGH_FAILED, NULL, "rank 0 has ended");
    }
}

/* The same, and copies what the message says. */
static bough_status wait_for_plain(rank_session *s, rank_kind kind, void *said, size_t size,
                                   bough_error *error) {
    rank_message m;
    bough_status status = wait_for(s, kind, &m, error);
    if (status) return status;
    if (!message_read(&m, said, size))
        status = bough_fail(error, BOUGH_FAILED, NULL, "a message of rank %u is damaged", m.from);
    free(m.bytes);
    return status;
}

/* Another rank waits for a message that does not come. */
static bough_status lost_if(rank_session *s, bough_status status) {
    if (status && !s->ended) s->lost = true;
    return status;
}

/* ---- standard input ---- */

bough_status ranks_share_input(rank_session *s, char **text, size_t *size, bough_error *error) {
    rank_message m;
    if (s->team->rank == 0)
        return lost_if(
            s, message_send(s->team, ALL_RANKS, RANK_TEXT, (rank_said){*text, *text ? *size : 0}, error));
    bough_status status = wait_for(s, RANK_TEXT, &m, error);
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

bough_status ranks_check_memory(const bough_study *study, const rank_team *team, bough_error *error) {
    uint64_t limit = bough_memory_limit();
    unsigned local = team->local;
    for (size_t i = 0; i < study->points; i++)
        for (size_t k = 0; k < study->point[i].answers; k++) {
            const bough_study_point *p = &study->point[i];
            uint64_t need = bough_add(p->bytes, p->answer[k].bytes);
            if (need <= limit / local) continue;
            char one[32], have[32];
            bough_status status = bough_fail(
                error, BOUGH_TOO_LARGE, NULL,
                "%s takes %s of memory in each rank, and %u ranks share the %s of this machine; start fewer "
                "ranks per machine, with more --threads",
                p->answer[k].method, bough_format_bytes(need, one, sizeof one), local,
                bough_format_bytes(limit, have, sizeof have));
            return point_fail(study, i, p->method[p->answer[k].asked].line, status, error);
        }
    return BOUGH_OK;
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
    int code = mine->code;
    bough_status status = BOUGH_OK;
    for (unsigned r = 1; r < s->team->ranks && !status; r++) {
        rank_message m;
        rank_report theirs = {.hash = ~mine->hash}; /* of another bough, it may have another size */
        status = wait_for(s, RANK_HELLO, &m, error);
        if (status) break;
        message_read(&m, &theirs, sizeof theirs);
        if (!code) code = judge(mine, &theirs, m.from, error);
        free(m.bytes);
    }
    if (status) code = bough_status_exit(status);
    status =
        lost_if(s, message_send(s->team, ALL_RANKS, RANK_VERDICT, (rank_said){&code, sizeof code}, error));
    return status ? bough_status_exit(status) : code;
}

static int agree_other(rank_session *s, const rank_report *mine, bough_error *error) {
    int code = 1;
    bough_status status = message_send(s->team, 0, RANK_HELLO, (rank_said){mine, sizeof *mine}, error);
    TRY(wait_for_plain(s, RANK_VERDICT, &code, sizeof code, error));
    return lost_if(s, status) ? bough_status_exit(status) : code;
}

int ranks_agree(rank_session *s, const rank_report *mine, bough_error *error) {
    *error = (bough_error){0};
    if (s->lost) return mine->code;
    return s->team->rank == 0 ? agree_first(s, mine, error) : agree_other(s, mine, error);
}

/* ---- the end ---- */

int ranks_end(rank_session *s, int code) {
    bough_error error;
    if (s->team->rank == 0)
        message_send(s->team, ALL_RANKS, RANK_END, (rank_said){&code, sizeof code}, &error);
    if (s->team->rank == 0) return code;
    if (s->ended) return s->code;
    if (s->lost || wait_for_plain(s, RANK_END, &code, sizeof code, &error)) return code ? code : 1;
    return code;
}
