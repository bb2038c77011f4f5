#include "traffic/schedules/messages_in_flight.h"

#include "base/memory/memory.h"

#include <string.h>

typedef struct counter {
    const bough_workload *w;
    uint64_t packet_bytes;
    uint32_t *waits, *level, *ready; /* [operations of a rank]: as in the schedule; see the header; a stack */
    messages_in_flight *at;          /* [operations of a rank + 1]: by level */
} counter;

static uint64_t packets_of(uint64_t bytes, uint64_t packet_bytes) {
    return bytes > packet_bytes ? (bytes - 1) / packet_bytes + 1 : 1;
}

/* True if the operations after it have to wait for a message to arrive. */
static bool waits_for_arrival(const bough_workload *w, uint32_t rank, const bough_op *op) {
    const uint64_t S = bough_rank_host(w, rank)->S;
    return op->kind == BOUGH_OP_RECV || (op->kind == BOUGH_OP_SEND && S && op->size > S);
}

static void count_send(const counter *c, uint32_t rank, uint32_t o, messages_in_flight *sum) {
    const bough_op *op = &c->w->schedule->op[o];
    if (op->kind != BOUGH_OP_SEND || bough_ranks_inside(c->w, rank, op->peer)) return;
    sum->messages++;
    sum->packets += packets_of(op->size, c->packet_bytes);
}

static void count_rank(const counter *c, uint32_t rank, messages_in_flight *most) {
    const bough_schedule *s = c->w->schedule;
    uint32_t first = s->first[rank], count = s->first[rank + 1] - first, top = 0;
    memset(c->level, 0, count * sizeof *c->level);
    memset(c->at, 0, ((size_t)count + 1) * sizeof *c->at);
    for (uint32_t i = 0; i < count; i++)
        if ((c->waits[i] = s->waits[first + i]) == 0) c->ready[top++] = i;
    while (top) {
        uint32_t i = c->ready[--top], o = first + i;
        bool waits = waits_for_arrival(c->w, rank, &s->op[o]);
        messages_in_flight *at = &c->at[c->level[i]];
        count_send(c, rank, o, at);
        if (at->messages > most->messages) most->messages = at->messages;
        if (at->packets > most->packets) most->packets = at->packets;
        for (uint64_t f = s->then[o]; f < s->then[o + 1]; f++) {
            uint32_t next = (s->follower[f] >> 1) - first, level = c->level[i];
            if (waits && !(s->follower[f] & 1)) level++;
            if (level > c->level[next]) c->level[next] = level;
            if (--c->waits[next] == 0) c->ready[top++] = next;
        }
    }
}

static bough_status count_ranks(const bough_workload *w, uint64_t packet_bytes, messages_in_flight *result,
                                bough_error *error) {
    const bough_schedule *s = w->schedule;
    counter c = {.w = w, .packet_bytes = packet_bytes};
    uint32_t most = 0;
    for (uint32_t r = 0; r < s->ranks; r++)
        if (s->first[r + 1] - s->first[r] > most) most = s->first[r + 1] - s->first[r];
    const bough_array array[] = {{&c.waits, most, sizeof *c.waits},
                                 {&c.level, most, sizeof *c.level},
                                 {&c.ready, most, sizeof *c.ready},
                                 {&c.at, (uint64_t)most + 1, sizeof *c.at}};
    bough_status status = bough_alloc_all(array, 4, error);
    for (uint32_t r = 0; r < s->ranks && !status; r++) {
        messages_in_flight of_rank = {0};
        count_rank(&c, r, &of_rank);
        result->messages += of_rank.messages;
        result->packets = bough_add(result->packets, of_rank.packets);
    }
    FREE_ALL(c.waits, c.level, c.ready, c.at);
    return status;
}

typedef struct list_counter {
    uint64_t packet_bytes;
    messages_in_flight *result;
} list_counter;

static void add_message(void *context, uint32_t from, uint32_t to, uint64_t bytes) {
    const list_counter *c = context;
    (void)from;
    (void)to;
    c->result->messages++;
    c->result->packets = bough_add(c->result->packets, packets_of(bytes, c->packet_bytes));
}

bough_status messages_in_flight_of(const bough_traffic *t, uint64_t packet_bytes, messages_in_flight *result,
                                   bough_error *error) {
    *result = (messages_in_flight){0};
    if (t->workload) return count_ranks(t->workload, packet_bytes, result, error);
    t->each(t, add_message, &(list_counter){packet_bytes, result});
    return BOUGH_OK;
}
