#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "network/faults/faults.h"
#include "traffic/schedules/ranks_state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- results ---- */

const ranks_totals *ranks_result(const rank_engine *m) {
    return &m->t;
}

uint64_t ranks_end_of(const rank_engine *m, uint32_t rank) {
    return m->end[rank];
}

/* An eager send has ended when it has left, whatever becomes of its message. */
static bool never_ended(const rank_engine *m, uint32_t o) {
    unsigned state = m->op[o].state;
    if (m->op[o].kind == BOUGH_OP_SEND && (state == LEFT || state == HERE))
        return ranks_rendezvous(m, o, size_of(m, o));
    return state != ENDED;
}

/* The operation is started and waits for another rank, not for another operation of its own rank. */
static bool waits_for_rank(const rank_engine *m, uint32_t o) {
    return never_ended(m, o) && m->op[o].state != WAITING;
}

bool ranks_hangs(const rank_engine *m, uint32_t rank) {
    for (uint32_t o = m->s->first[rank]; o < m->s->first[rank + 1]; o++)
        if (never_ended(m, o)) return true;
    return false;
}

/* "rank 3 on h3" */
static void put_rank(const rank_engine *m, uint32_t rank, char *text, size_t size) {
    char name[48];
    if (rank == BOUGH_ANY_RANK)
        snprintf(text, size, "any rank");
    else if (m->net)
        snprintf(text, size, "rank %" PRIu32 " on %s", rank,
                 bough_node_name(m->net, m->w->endpoint[rank], name, sizeof name));
    else
        snprintf(text, size, "rank %" PRIu32, rank);
}

/* " (line 3, tensor)": the line and the label of an operation, if it has them. */
static void put_place(const bough_schedule *s, const bough_op *op, char *text, size_t size) {
    const char *label = op->label ? s->labels[op->label] : "";
    *text = 0;
    if (op->line && *label)
        snprintf(text, size, " (line %" PRIu32 ", %.40s)", op->line, label);
    else if (op->line)
        snprintf(text, size, " (line %" PRIu32 ")", op->line);
    else if (*label)
        snprintf(text, size, " (%.40s)", label);
}

static void describe_wait(const rank_engine *m, uint32_t o, char *text, size_t size) {
    const bough_op *op = &m->s->op[o];
    char own[80], other[80], place[64];
    const char *plural = op->size == 1 ? "" : "s";
    put_rank(m, m->match->rank[o], own, sizeof own);
    put_rank(m, op->peer, other, sizeof other);
    put_place(m->s, op, place, sizeof place);
    if (op->kind == BOUGH_OP_SEND)
        snprintf(text, size, "%s%s waits until %s receives its %" PRIu64 " byte%s", own, place, other,
                 op->size, plural);
    else
        snprintf(text, size, "%s%s waits for %" PRIu64 " byte%s from %s", own, place, op->size, plural,
                 other);
}

/* A send whose message the network lost; NOBODY: none. */
static uint32_t lost_send(const rank_engine *m) {
    for (uint32_t o = 0; o < m->s->ops; o++)
        if (m->s->op[o].kind == BOUGH_OP_SEND && m->op[o].state == LEFT) return o;
    return NOBODY;
}

static uint32_t cut_off_ranks(const rank_engine *m) {
    char dead[160];
    uint32_t count = 0;
    for (uint32_t r = 0; r < m->s->ranks && m->net && m->net->faults; r++)
        count += *bough_dead_part(m->net, m->w->endpoint[r], dead, sizeof dead) != 0;
    return count;
}

/* Names the receiver of a lost message: all others wait for such ranks. */
static void describe_loss(const rank_engine *m, uint32_t o, char *text, size_t size) {
    const bough_op *op = &m->s->op[o];
    char own[80], other[80], place[64];
    uint32_t cut_off = cut_off_ranks(m);
    put_rank(m, op->peer, own, sizeof own);
    put_rank(m, m->match->rank[o], other, sizeof other);
    put_place(m->s, op, place, sizeof place);
    int length = snprintf(text, size, "%s waits for %" PRIu64 " byte%s of %s%s that are lost on the way", own,
                          op->size, op->size == 1 ? "" : "s", other, place);
    if (cut_off && length > 0 && (size_t)length < size)
        snprintf(text + length, size - (size_t)length, "; %" PRIu32 " rank%s no live cable", cut_off,
                 cut_off == 1 ? " has" : "s have");
}

/* Names the first rank that waits for a lost message, else for another rank; the rest waits for it, or for a
 * later one. */
static void explain(const rank_engine *m, bough_source_report *r) {
    char text[96];
    uint32_t lost = r->waiting ? lost_send(m) : NOBODY;
    if (lost != NOBODY) {
        describe_loss(m, lost, r->text, sizeof r->text);
        return;
    }
    for (uint32_t o = 0; o < m->s->ops; o++) {
        const bough_op *op = &m->s->op[o];
        if (r->waiting ? !waits_for_rank(m, o) : op->kind != BOUGH_OP_SEND || m->op[o].state != HERE)
            continue;
        if (r->waiting)
            describe_wait(m, o, r->text, sizeof r->text);
        else
            snprintf(r->text, sizeof r->text, "rank %" PRIu32 ": %s", m->match->rank[o],
                     match_op_text(op, text, sizeof text));
        return;
    }
}

static bool is_active(const rank_engine *m, uint32_t rank) {
    return (rank >= m->only[0].first && rank < m->only[0].end) ||
           (rank >= m->only[1].first && rank < m->only[1].end);
}

void ranks_report(const rank_engine *m, bough_source_report *r) {
    const bough_schedule *s = m->s;
    *r = (bough_source_report){.status = m->status ? m->status
                                         : m->late ? BOUGH_FAILED
                                                   : BOUGH_OK,
                               .left = s->ops - m->t.ended};
    for (uint32_t rank = 0; rank < s->ranks; rank++) {
        if (m->end[rank] > r->end) r->end = m->end[rank];
        r->waiting += r->left && is_active(m, rank) && ranks_hangs(m, rank);
    }
    for (uint32_t o = 0; o < s->ops; o++) r->lost += s->op[o].kind == BOUGH_OP_SEND && m->op[o].state == HERE;
    if (m->status)
        snprintf(r->text, sizeof r->text, "%.190s", m->error.reason);
    else if (m->late)
        snprintf(r->text, sizeof r->text, "an operation would end after more than 53 days");
    else if (r->waiting || r->lost)
        explain(m, r);
}

/* ---- memory ---- */

static uint64_t cells(const bough_schedule *s, uint64_t of_cpu, uint64_t of_nic) {
    uint64_t n = bough_mul(s->ranks, of_cpu ? s->cpus : 1);
    return bough_mul(n, of_nic ? s->nics : 1);
}

static uint32_t most_followers(const bough_schedule *s) {
    uint64_t most = 0;
    for (uint32_t o = 0; o < s->ops; o++)
        if (s->then[o + 1] - s->then[o] > most) most = s->then[o + 1] - s->then[o];
    return (uint32_t)most;
}

/* Returns whether the followers of an operation are in the list; a single one is stored in place. */
static bool is_listed(const bough_schedule *s, uint32_t o) {
    uint64_t count = s->then[o + 1] - s->then[o];
    return count > 1 || (count == 1 && s->follower[s->then[o]] == NOBODY);
}

static uint64_t list_size(const bough_schedule *s) {
    uint64_t size = 0;
    for (uint32_t o = 0; o < s->ops; o++)
        if (is_listed(s, o)) size += 1 + s->then[o + 1] - s->then[o];
    return size;
}

/* Rounded up to cache lines: one if there is one NIC. */
static uint64_t cpu_bytes(const bough_schedule *s) {
    return (sizeof(cpu) + 2 * s->nics * sizeof(waiters) + 63) / 64 * 64;
}

uint64_t ranks_bytes(const bough_workload *w, const match_plan *match) {
    const bough_schedule *s = w->schedule;
    uint64_t bytes = bough_mul(s->ops, sizeof(operation) + 4 + (match->also ? 12 : 0));
    bytes = bough_add(bytes, bough_mul(list_size(s), 4));
    bytes = bough_add(bytes, bough_mul(match->channels, sizeof(channel)));
    bytes = bough_add(bytes, bough_mul(cells(s, 1, 0), cpu_bytes(s)));
    bytes = bough_add(bytes, bough_mul(cells(s, 0, 1), sizeof(nic)));
    return bough_add(bytes, bough_mul(s->ranks, 8 + 4 + 4 * sizeof(lane_event)));
}

/* Per operation: in the schedule, its follower position and dependency count; its channel and rank in the
 * match; its state and start, and part of a channel. Per dependency: in the builder and in the schedule. */
uint64_t ranks_room(uint64_t ops, uint64_t waits) {
    uint64_t of_op = sizeof(bough_op) + 8 + 4 + 8 + sizeof(operation) + 4;
    return bough_add(bough_mul(ops, of_op), bough_mul(waits, 12));
}

/* Appends the operations of a kind of a rank that wait for none. */
static uint32_t add_starts(rank_engine *m, uint32_t rank, unsigned kind, uint32_t count) {
    const bough_schedule *s = m->s;
    for (uint32_t o = s->first[rank]; o < s->first[rank + 1]; o++)
        if (s->waits[o] == 0 && s->op[o].kind == kind) m->start[count++] = o;
    return count;
}

/* Sets the fields that do not change between trials. */
static void describe(rank_engine *m) {
    const bough_schedule *s = m->s;
    uint32_t size = 0;
    for (uint32_t o = 0; o < s->ops; o++) {
        const bough_op *op = &s->op[o];
        bool recv = op->kind == BOUGH_OP_RECV;
        unsigned any_rank = recv && op->peer == BOUGH_ANY_RANK, any_tag = recv && op->tag == BOUGH_ANY_TAG;
        m->op[o] = (operation){.then = s->then[o] < s->then[o + 1] ? s->follower[s->then[o]] : NOBODY,
                               .peer = op->kind == BOUGH_OP_SEND ? op->peer : m->match->rank[o],
                               .channel = m->match->channel[o],
                               .size = op->size < LONG ? (uint32_t)op->size : LONG,
                               .kind = op->kind,
                               .wild = any_rank && any_tag ? 3
                                       : any_tag           ? 2
                                                           : any_rank,
                               .cpu = op->cpu,
                               .nic = op->nic,
                               .label = op->label};
        if (!is_listed(s, o)) continue;
        m->op[o].many = 1;
        m->op[o].then = size;
        m->list[size++] = (uint32_t)(s->then[o + 1] - s->then[o]);
        for (uint64_t f = s->then[o]; f < s->then[o + 1]; f++) m->list[size++] = s->follower[f];
    }
    for (uint64_t f = 0; f < s->then[s->ops] && !m->starts; f++) m->starts = s->follower[f] & 1;
    uint32_t count = 0;
    for (uint32_t r = 0; r < s->ranks; r++) {
        m->start_first[r] = count;
        for (unsigned kind = BOUGH_OP_SEND; kind <= BOUGH_OP_CALC; kind++)
            count = add_starts(m, r, kind, count);
    }
    m->start_first[s->ranks] = count;
}

/* Numbers the costs o of jobs that differ; returns how many there are beside the first. */
static unsigned count_costs(const bough_workload *w, uint8_t *number) {
    unsigned most = 0;
    for (uint32_t j = 0; w->job_host && j < w->jobs; j++) {
        uint32_t k = 0;
        while (w->job_host[k].o != w->job_host[j].o) k++;
        number[j] = k < j ? number[k] : j ? (uint8_t)++most : 0;
    }
    return most;
}

bough_status ranks_make(const bough_workload *w, const match_plan *match, bool network, rank_engine **out,
                        bough_error *error) {
    const bough_schedule *s = w->schedule;
    rank_engine *m;
    *out = NULL;
    if (cells(s, 1, 0) >= WAKE)
        return bough_fail(error, BOUGH_TOO_LARGE, s->name,
                          "2^31 or more CPUs: %" PRIu32 " ranks with %u each", s->ranks, s->cpus);
    uint64_t listed = list_size(s);
    if (listed > UINT32_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, s->name, "2^32 or more dependencies: %" PRIu64, listed);
    bough_status status = bough_memory_check(ranks_bytes(w, match), "the execution of the schedule", error);
    TRY(bough_alloc(&m, 1, sizeof *m, error));
    if (status) return status;
    *m = (rank_engine){.s = s,
                       .w = w,
                       .match = match,
                       .host = w->host,
                       .hosts = bough_schedule_hosts(s),
                       .network = network,
                       .cpus = s->cpus,
                       .nics = s->nics,
                       .cpu_bytes = cpu_bytes(s)};
    status = event_lanes_make(&m->events, error);
    TRY(large_alloc(&m->op, s->ops, sizeof *m->op, error));
    TRY(large_alloc(&m->list, listed, sizeof *m->list, error));
    TRY(large_alloc(&m->channel, match->channels, sizeof *m->channel, error));
    if (!status && match->also) status = bough_alloc(&m->also, s->ops, sizeof *m->also, error);
    TRY(bough_alloc(&m->cpu, cells(s, 1, 0), m->cpu_bytes, error));
    TRY(bough_alloc(&m->nic, cells(s, 0, 1), sizeof *m->nic, error));
    TRY(bough_alloc(&m->end, s->ranks, sizeof *m->end, error));
    TRY(bough_alloc(&m->start, s->ops, sizeof *m->start, error));
    TRY(bough_alloc(&m->start_first, (uint64_t)s->ranks + 1, sizeof *m->start_first, error));
    m->outs = 2 + count_costs(w, m->out_of);
    TRY(bough_alloc(&m->out, m->outs, sizeof *m->out, error));
    TRY(bough_alloc(&m->freed, 3 * (uint64_t)most_followers(s), sizeof *m->freed, error));
    if (status) {
        ranks_destroy(m);
        return status;
    }
    describe(m);
    m->shares = true;
    bool some = false;
    for (uint32_t o = 0; o < s->ops && !some; o++)
        some = s->op[o].kind == BOUGH_OP_SEND && ranks_inside(m, o);
    m->shares = some;
    ranks_only(m, (const rank_span[2]){{0, s->ranks}, {0}});
    ranks_start(m);
    *out = m;
    return BOUGH_OK;
}

void ranks_only(rank_engine *m, const rank_span span[2]) {
    bool swap = span[1].first < span[1].end && span[1].first < span[0].first;
    m->only[0] = span[swap];
    m->only[1] = span[!swap];
}

void ranks_on(rank_engine *m, const bough_net *net) {
    m->net = net;
    m->disconnects = !m->network && net->ops->reaches;
    ranks_vary(m, m->times.key);
}

void ranks_vary(rank_engine *m, bough_key key) {
    m->times = (compute_times){m->w, m->net, key};
    m->varies = compute_times_vary(&m->times);
}

void ranks_observe(rank_engine *m, timeline *seen) {
    m->seen = seen;
    if (seen) timeline_clear(seen);
}

void ranks_start(rank_engine *m) {
    const bough_schedule *s = m->s;
    static const waiters nobody = {NOBODY, NOBODY, NOBODY};
    for (uint32_t o = 0; o < s->ops; o++) {
        m->op[o].ready = 0;
        m->op[o].waits = s->waits[o];
        m->op[o].state = WAITING;
    }
    memset(m->channel, 0xff, m->match->channels * sizeof *m->channel);
    for (uint32_t c = 0; c < cells(s, 1, 0); c++) {
        cpu *p = cpu_at(m, c);
        p->free = 0;
        p->wake = NEVER;
        p->wake_sequence = 0;
        p->send = NOBODY;
        p->alone = nobody;
        for (unsigned i = 0; i < 2 * s->nics; i++) p->io[i] = nobody;
    }
    memset(m->nic, 0, cells(s, 0, 1) * sizeof *m->nic);
    memset(m->end, 0, s->ranks * sizeof *m->end);
    event_lanes_clear(&m->events);
    for (unsigned i = 0; i < m->outs; i++) m->out[i].first = m->out[i].count = 0;
    m->frees = m->posted = 0;
    m->busy = NOBODY;
    m->begun = m->late = false;
    m->status = BOUGH_OK;
    m->t = (ranks_totals){0};
    if (m->seen) timeline_clear(m->seen);
}

void ranks_destroy(rank_engine *m) {
    if (!m) return;
    for (unsigned i = 0; m->out && i < m->outs; i++) free(m->out[i].entry);
    FREE_ALL(m->op, m->channel, m->also, m->cpu, m->nic, m->start, m->start_first, m->end, m->out, m->list,
             m->freed);
    event_lanes_fini(&m->events);
    free(m);
}
