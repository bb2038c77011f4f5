/* What an MSCCL algorithm does to data. A chunk that a rank brings has a random mark; sums of chunks have the
 * sum of their marks, modulo 2^64. At the end every chunk of the output must have the mark that the
 * collective demands: a part that is missing or counted twice gives another one but for one case in 2^64. A
 * mark of 0: nothing is there.
 *
 * Called in place, input and output are one buffer: that of an allgather contains the input at its own place,
 * that of a reducescatter the output.
 *
 * Messages of a connection (two GPUs, a channel) arrive in order, so the k-th receive takes the k-th send.
 * Steps run in two legal orders, by a queue and by a stack, which finds most dependencies that are missing.
 */
#include "formats/workloads/msccl.h"

#include "base/memory/index_map.h"
#include "base/memory/memory.h"
#include "base/status/try.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { VECTOR_MAX = 1 << 24 };

static bough_status fail_step(const msccl *m, const msccl_step *s, bough_error *error, const char *reason) {
    bough_status status = bough_fail(error, BOUGH_INVALID, NULL, "%s", reason);
    return bough_at_line(status, m->file, s->line, error);
}

/* ---- chunks ---- */

/* Chunks of the input, or the output, of a GPU. */
static uint32_t part_of(const msccl *m, msccl_buffer buffer) {
    const bool part = (buffer == MSCCL_INPUT && m->collective == MSCCL_ALLGATHER) ||
                      (buffer == MSCCL_OUTPUT && m->collective == MSCCL_REDUCESCATTER);
    return part ? m->vector / m->gpus : m->vector;
}

uint32_t msccl_vector_chunk(const msccl *m, uint32_t gpu, msccl_chunks c) {
    if (c.buffer == MSCCL_SCRATCH || part_of(m, (msccl_buffer)c.buffer) == m->vector) return c.first;
    return gpu * part_of(m, (msccl_buffer)c.buffer) + c.first;
}

static bough_status find_vector(msccl *m, bough_error *error) {
    uint64_t most[MSCCL_BUFFERS] = {0}, vector;
    for (uint32_t g = 0; g < m->gpus; g++)
        for (int b = 0; b < MSCCL_BUFFERS; b++)
            if (m->gpu[g].chunks[b] > most[b]) most[b] = m->gpu[g].chunks[b];
    if (m->collective == MSCCL_ALLGATHER) most[MSCCL_INPUT] *= m->gpus;
    if (m->collective == MSCCL_REDUCESCATTER) most[MSCCL_OUTPUT] *= m->gpus;
    vector = most[MSCCL_INPUT] > most[MSCCL_OUTPUT] ? most[MSCCL_INPUT] : most[MSCCL_OUTPUT];
    if (vector == 0 || vector > VECTOR_MAX)
        return bough_fail(error, BOUGH_INVALID, m->file,
                          "the vector has %" PRIu64 " chunks (i_chunks, o_chunks); expected 1 to %d", vector,
                          VECTOR_MAX);
    if (m->collective != MSCCL_ALLREDUCE && vector % m->gpus)
        return bough_fail(error, BOUGH_INVALID, m->file,
                          "%" PRIu64 " chunks of the vector cannot be divided among %" PRIu32 " GPUs", vector,
                          m->gpus);
    m->vector = (uint32_t)vector;
    return BOUGH_OK;
}

static bool is_within(const msccl *m, uint32_t gpu, msccl_chunks c, uint32_t count) {
    const uint32_t has =
        c.buffer == MSCCL_SCRATCH ? m->gpu[gpu].chunks[MSCCL_SCRATCH] : part_of(m, (msccl_buffer)c.buffer);
    return (uint64_t)c.first + count <= has;
}

static bool reads(const msccl_step *s) {
    return s->does == MSCCL_SENDS || s->does == MSCCL_STORES || (s->does & MSCCL_ADDS);
}

static bough_status check_chunks(const msccl *m, bough_error *error) {
    for (size_t i = 0; i < m->steps; i++) {
        const msccl_step *s = &m->step[i];
        const uint32_t gpu = m->block[s->block].gpu;
        if ((reads(s) && !is_within(m, gpu, s->from, s->count)) ||
            ((s->does & MSCCL_STORES) && !is_within(m, gpu, s->to, s->count)))
            return fail_step(m, s, error, "the chunks of the step are beyond the end of their buffer");
        if (s->does && s->count == 0)
            return fail_step(m, s, error, "cnt=\"0\"; a step has one chunk or more");
    }
    return BOUGH_OK;
}

/* ---- connections ---- */

static uint64_t connection(uint32_t from, uint32_t to, uint32_t channel) {
    return ((uint64_t)from << 12 | to) << 10 | channel;
}

static bool does_any(const msccl *m, const msccl_block *b, uint8_t what) {
    for (uint32_t i = b->first; i < b->first + b->steps; i++)
        if (m->step[i].does & what) return true;
    return false;
}

static bough_status fail_block(const msccl *m, const msccl_block *b, const char *what, uint32_t peer,
                               bough_error *error) {
    bough_status status = bough_fail(error, BOUGH_INVALID, NULL, "%s GPU %" PRIu32 " on channel %" PRIu32,
                                     what, peer, b->channel);
    return bough_at_line(status, m->file, b->line, error);
}

/* The next step of a block from `at` on that does this. */
static uint32_t next_step(const msccl *m, const msccl_block *b, uint32_t at, uint8_t what) {
    while (at < b->first + b->steps && !(m->step[at].does & what)) at++;
    return at;
}

static bough_status match_block(const msccl *m, const msccl_block *from, const msccl_block *to,
                                bough_error *error) {
    const uint32_t sends = from->first + from->steps, receives = to->first + to->steps;
    uint32_t s = next_step(m, from, from->first, MSCCL_SENDS),
             r = next_step(m, to, to->first, MSCCL_RECEIVES);
    for (uint32_t number = 0; s < sends || r < receives; number++) {
        if (s == sends) return fail_step(m, &m->step[r], error, "receives more messages than are sent");
        if (r == receives) return fail_step(m, &m->step[s], error, "sends more messages than are received");
        if (m->step[s].count != m->step[r].count)
            return fail_step(m, &m->step[r], error, "receives another number of chunks (cnt) than is sent");
        m->step[r].partner = s;
        m->step[s].number = number;
        s = next_step(m, from, s + 1, MSCCL_SENDS);
        r = next_step(m, to, r + 1, MSCCL_RECEIVES);
    }
    return BOUGH_OK;
}

static bough_status match(const msccl *m, bough_error *error) {
    bough_index_map senders = {0};
    bough_status status = BOUGH_OK;
    uint64_t sending = 0, matched = 0;
    for (uint32_t i = 0; i < m->blocks && !status; i++) {
        const msccl_block *b = &m->block[i];
        if (!does_any(m, b, MSCCL_SENDS)) continue;
        const uint64_t key = connection(b->gpu, b->send, b->channel);
        if (bough_index_map_get(&senders, key) != UINT32_MAX)
            status = fail_block(m, b, "a second thread block sends to", b->send, error);
        TRY(bough_index_map_put(&senders, key, i, error));
        sending++;
    }
    for (uint32_t i = 0; i < m->blocks && !status; i++) {
        const msccl_block *b = &m->block[i];
        if (!does_any(m, b, MSCCL_RECEIVES)) continue;
        const uint64_t key = connection(b->receive, b->gpu, b->channel);
        const uint32_t from = bough_index_map_get(&senders, key);
        if (from == UINT32_MAX)
            status = fail_block(m, b, "no thread block, or one that another receives from, sends here from",
                                b->receive, error);
        else
            status = match_block(m, &m->block[from], b, error);
        TRY(bough_index_map_put(&senders, key, UINT32_MAX, error));
        matched++;
    }
    for (uint32_t i = 0; i < m->blocks && !status && matched < sending; i++) {
        const msccl_block *b = &m->block[i];
        const uint64_t key = connection(b->gpu, b->send, b->channel);
        if (does_any(m, b, MSCCL_SENDS) && bough_index_map_get(&senders, key) != UINT32_MAX)
            status = fail_block(m, b, "no thread block receives what is sent to", b->send, error);
    }
    bough_index_map_fini(&senders);
    return status;
}

/* ---- running ---- */

typedef struct run {
    const msccl *m;
    bool in_place;
    uint64_t width;             /* chunks of a GPU */
    uint32_t at[MSCCL_BUFFERS]; /* where a buffer begins */
    uint64_t *mark;             /* [gpus][width] */
    uint64_t *carried;          /* marks of messages */
    uint64_t *carries;          /* [steps]: of a send, the first of its marks */
    uint32_t *waits, *left;     /* [steps]: number of steps that it waits for */
    uint32_t *first, *next;     /* [steps]: a list of those that wait for it by depid */
    uint32_t *receiver;         /* [steps]: of a send */
    uint32_t *ready;            /* [steps] */
    bough_error *error;
} run;

static uint64_t mark_of(uint32_t rank, uint32_t chunk) {
    uint64_t x = ((uint64_t)rank << 32 | chunk) + UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t *marks(const run *x, uint32_t gpu, msccl_chunks c) {
    uint64_t at = x->at[c.buffer] + (uint64_t)c.first;
    if (x->in_place && c.buffer != MSCCL_SCRATCH) at = msccl_vector_chunk(x->m, gpu, c);
    return &x->mark[gpu * x->width + at];
}

static bough_status do_step(run *x, uint32_t number) {
    const msccl_step *s = &x->m->step[number];
    const uint32_t gpu = x->m->block[s->block].gpu;
    const uint64_t *came = s->partner == MSCCL_NONE ? NULL : x->carried + x->carries[s->partner];
    uint64_t *from = reads(s) ? marks(x, gpu, s->from) : NULL;
    uint64_t *to = s->does & MSCCL_STORES ? marks(x, gpu, s->to) : NULL;
    for (uint32_t i = 0; i < s->count; i++) {
        uint64_t value = came ? came[i] : from[i];
        if (!value || (from && !from[i]) || (!came && (s->does & MSCCL_ADDS) && !to[i]))
            return fail_step(x->m, s, x->error,
                             "uses a chunk in which there is nothing, or not yet (depid, deps)");
        if (s->does & MSCCL_ADDS) value += came ? from[i] : to[i];
        if (to) to[i] = value;
        if (s->does & MSCCL_SENDS) x->carried[x->carries[number] + i] = value;
    }
    return BOUGH_OK;
}

static void start(run *x) {
    const msccl *m = x->m;
    memset(x->mark, 0, m->gpus * x->width * sizeof *x->mark);
    for (uint32_t g = 0; g < m->gpus; g++)
        for (uint32_t i = 0; i < part_of(m, MSCCL_INPUT); i++)
            *marks(x, g, (msccl_chunks){i, MSCCL_INPUT}) = mark_of(g, i);
    if (m->steps) memcpy(x->left, x->waits, m->steps * sizeof *x->left);
}

/* Steps that wait for this one have one less to wait for. */
static void release(run *x, uint32_t step, uint32_t *count) {
    const msccl *m = x->m;
    const msccl_block *b = &m->block[m->step[step].block];
    if (step + 1 < b->first + b->steps && --x->left[step + 1] == 0) x->ready[(*count)++] = step + 1;
    if (x->receiver[step] != MSCCL_NONE && --x->left[x->receiver[step]] == 0)
        x->ready[(*count)++] = x->receiver[step];
    for (uint32_t w = x->first[step]; w != MSCCL_NONE; w = x->next[w])
        if (--x->left[w] == 0) x->ready[(*count)++] = w;
}

static bough_status fail_stuck(const run *x) {
    const msccl *m = x->m;
    for (size_t i = 0; i < m->steps; i++)
        if (x->left[i]) return fail_step(m, &m->step[i], x->error, "never starts: steps wait for each other");
    return BOUGH_OK;
}

/* order: [steps], as they ran; NULL: not asked for. */
static bough_status run_steps(run *x, bool stack, uint32_t *order) {
    const msccl *m = x->m;
    uint32_t count = 0, done = 0, head = 0;
    bough_status status = BOUGH_OK;
    start(x);
    for (uint32_t i = 0; i < m->steps; i++)
        if (!x->waits[i]) x->ready[count++] = i;
    while (head < count && !status) {
        const uint32_t step = stack ? x->ready[--count] : x->ready[head++];
        status = do_step(x, step);
        if (order) order[done] = step;
        done++;
        release(x, step, &count);
    }
    return status || done == m->steps ? status : fail_stuck(x);
}

/* ---- what is demanded ---- */

static uint64_t demanded(const msccl *m, uint32_t gpu, uint32_t chunk) {
    const uint32_t each = m->vector / m->gpus;
    uint64_t sum = 0;
    switch (m->collective) {
    case MSCCL_ALLGATHER:
        return mark_of(chunk / each, chunk % each);
    case MSCCL_ALLTOALL:
        return mark_of(chunk / each, gpu * each + chunk % each);
    case MSCCL_REDUCESCATTER:
        chunk += gpu * each;
        break;
    default:
        break;
    }
    for (uint32_t r = 0; r < m->gpus; r++) sum += mark_of(r, chunk);
    return sum;
}

static bough_status check_output(const run *x) {
    const msccl *m = x->m;
    const uint32_t chunks = part_of(m, MSCCL_OUTPUT);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < (uint64_t)m->gpus * chunks; i++) {
        /* of an allreduce, the demand of a chunk is that of all GPUs */
        const uint32_t gpu = (uint32_t)(m->collective == MSCCL_ALLREDUCE ? i % m->gpus : i / chunks);
        const uint32_t chunk = (uint32_t)(m->collective == MSCCL_ALLREDUCE ? i / m->gpus : i % chunks);
        const uint64_t have = *marks(x, gpu, (msccl_chunks){chunk, MSCCL_OUTPUT});
        if (m->collective != MSCCL_ALLREDUCE || gpu == 0) sum = demanded(m, gpu, chunk);
        if (have == sum) continue;
        return bough_fail(x->error, BOUGH_INVALID, m->file,
                          "is no %s%s: GPU %" PRIu32 " ends %s chunk %" PRIu32 " of its output%s",
                          msccl_collective_name[m->collective], x->in_place ? " in place" : "", gpu,
                          have ? "with another" : "without", chunk,
                          have ? ": a part is missing, is another's, or counts twice" : "");
    }
    return BOUGH_OK;
}

/* ---- the whole ---- */

static bough_status make_run(run *x, arena *memory) {
    const msccl *m = x->m;
    const size_t steps = m->steps;
    uint64_t carried = 0, scratch = 0;
    for (uint32_t g = 0; g < m->gpus; g++)
        if (m->gpu[g].chunks[MSCCL_SCRATCH] > scratch) scratch = m->gpu[g].chunks[MSCCL_SCRATCH];
    x->at[MSCCL_OUTPUT] = x->in_place ? 0 : part_of(m, MSCCL_INPUT);
    x->at[MSCCL_SCRATCH] = x->in_place ? m->vector : x->at[MSCCL_OUTPUT] + part_of(m, MSCCL_OUTPUT);
    x->width = x->at[MSCCL_SCRATCH] + scratch;
    for (size_t i = 0; i < steps; i++) carried += m->step[i].does & MSCCL_SENDS ? m->step[i].count : 0;
    bough_status status = bough_memory_check(
        bough_mul(8, bough_add(bough_add(bough_mul(m->gpus, x->width), carried), 4 * (uint64_t)steps)),
        "the chunks of all GPUs", x->error);
    TRY(arena_alloc(memory, &x->mark, m->gpus * x->width, sizeof *x->mark, x->error));
    TRY(arena_alloc(memory, &x->carried, carried, sizeof *x->carried, x->error));
    TRY(arena_alloc(memory, &x->carries, steps, sizeof *x->carries, x->error));
    TRY(arena_alloc(memory, &x->waits, steps, sizeof *x->waits, x->error));
    TRY(arena_alloc(memory, &x->left, steps, sizeof *x->left, x->error));
    TRY(arena_alloc(memory, &x->first, steps, sizeof *x->first, x->error));
    TRY(arena_alloc(memory, &x->next, steps, sizeof *x->next, x->error));
    TRY(arena_alloc(memory, &x->receiver, steps, sizeof *x->receiver, x->error));
    TRY(arena_alloc(memory, &x->ready, steps, sizeof *x->ready, x->error));
    return status;
}

static void list_waits(run *x) {
    const msccl *m = x->m;
    uint64_t carried = 0;
    memset(x->first, 0xff, m->steps * sizeof *x->first);
    memset(x->receiver, 0xff, m->steps * sizeof *x->receiver);
    for (uint32_t i = 0; i < m->steps; i++) {
        const msccl_step *s = &m->step[i];
        x->carries[i] = carried;
        carried += s->does & MSCCL_SENDS ? s->count : 0;
        x->waits[i] = (i > m->block[s->block].first) + (s->after != MSCCL_NONE) + (s->partner != MSCCL_NONE);
        if (s->partner != MSCCL_NONE) x->receiver[s->partner] = i;
        if (s->after == MSCCL_NONE) continue;
        x->next[i] = x->first[s->after];
        x->first[s->after] = i;
    }
}

static bough_status check_called(msccl *m, bool in_place, bough_error *error) {
    run x = {.m = m, .in_place = in_place, .error = error};
    arena memory = {0};
    bough_status status = make_run(&x, &memory);
    if (!status && m->steps) {
        list_waits(&x);
        status = run_steps(&x, false, m->order);
        TRY(check_output(&x));
        TRY(run_steps(&x, true, NULL));
    } else if (!status) {
        start(&x);
    }
    TRY(check_output(&x));
    arena_fini(&memory);
    return status;
}

bough_status msccl_check(msccl *m, bough_error *error) {
    bough_status status = find_vector(m, error);
    TRY(check_chunks(m, error));
    TRY(match(m, error));
    TRY(arena_alloc(&m->memory, &m->order, m->steps, sizeof *m->order, error));
    if (status) return status;
    status = check_called(m, m->in_place, error);
    if (status == BOUGH_INVALID && m->in_place && m->out_of_place && !check_called(m, false, NULL))
        status = BOUGH_OK;
    return status;
}
