#include "engines/circuit/labels/labels_border.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/circuit/labels/labels_column.h"

#include <stdlib.h>
#include <string.h>

/* Messages of this subtree of one class. */
typedef struct leaving {
    uint32_t *s, *target; /* source: in the subtree */
    uint64_t count;
} leaving;

struct labels_border {
    const rank_group *group;
    label_lists *lists;
    labels_planes *planes; /* may be NULL */
    uint64_t share;
    bool dense; /* classes from h on are in planes */
    unsigned h, top, ranks;
    labels_columns columns;
    leaving class[LABELS_TOP_MAX]; /* [class - h] */
    uint32_t *s, *target;          /* of all of them */
    unsigned char *level;          /* scratch: [position] */
    uint64_t *next, *size;         /* scratch: [key], see key_of; [rank] */
    unsigned key_shift;            /* a column shifted by it is its key */
    uint64_t keys;                 /* of a rank */
};

/* Messages are sent in the order of groups of columns, so that those of one column, which come from all
 * ranks, are in the nearest cache together. */
enum { KEY_BITS = 8 };

/* One class in one round. */
typedef struct crossing {
    labels_border *b;
    const class_run *run;
    leaving *leaving;
    rank_parts up, entries, down, guests, back, outcomes, results; /* as they follow one another */
    uint32_t *sent;     /* [place in up]: message of this subtree */
    uint32_t *passed;   /* [place in down]: message of the columns */
    column_message *in; /* of the columns */
    column_class class;
    uint64_t arrived;
    unsigned reached;
} crossing;

/* ---- the trial ---- */

bough_status labels_border_make(const border_parts *parts, labels_border **out, bough_error *error) {
    labels_border *b;
    const labels_places *p = &parts->lists->places;
    bough_status status = bough_alloc(out, 1, sizeof *b, error);
    if (status) return status;
    b = *out;
    b->group = parts->group;
    b->lists = parts->lists;
    b->planes = parts->planes;
    b->share = parts->share;
    b->h = p->h;
    b->top = p->top;
    b->ranks = 1u << (p->top - p->h);
    status = labels_columns_make(&b->columns, p, parts->group->rank, error);
    TRY(bough_alloc(&b->level, UINT64_C(1) << p->h, 1, error));
    const unsigned bits = 2 * p->h - p->top; /* of the columns of a rank */
    b->key_shift = bits > KEY_BITS ? bits - KEY_BITS : 0;
    b->keys = UINT64_C(1) << (bits - b->key_shift);
    TRY(bough_alloc(&b->next, b->ranks * b->keys, sizeof *b->next, error));
    TRY(bough_alloc(&b->size, b->ranks, sizeof *b->size, error));
    return status;
}

void labels_border_free(labels_border *b) {
    if (!b) return;
    labels_columns_fini(&b->columns);
    FREE_ALL(b->s, b->target, b->level, b->next, b->size, b);
}

uint64_t labels_border_live(const labels_border *b) {
    uint64_t sum = 0;
    for (unsigned L = b->h; L < b->top; L++) sum += b->class[L - b->h].count;
    return sum;
}

bool labels_border_dense(const labels_border *b) {
    return b->dense;
}

static uint64_t live_above(const labels_border *b, const labels_census *census) {
    uint64_t sum = 0;
    for (unsigned L = b->h; L < b->top; L++) sum += census->live[L];
    return sum;
}

/* As for classes of one rank (labels_rounds.c). */
static bool is_dense(const labels_border *b, const labels_census *census) {
    return b->planes && labels_planes_cross_border(&b->lists->places) &&
           live_above(b, census) * b->share > UINT64_C(1) << b->top;
}

/* Room for messages of this subtree of classes from h on. */
static bough_status make_leaving(labels_border *b, uint64_t messages, bough_error *error) {
    bough_status status = bough_alloc(&b->s, messages, sizeof *b->s, error);
    TRY(bough_alloc(&b->target, messages, sizeof *b->target, error));
    return status;
}

/* Sorts the messages that leave the subtree by class. own[class]: how many there are. */
static bough_status take_leaving(labels_border *b, const bough_batch *batch, const uint64_t *own,
                                 bough_error *error) {
    const uint32_t base = b->lists->places.base;
    uint64_t first[LABELS_CLASSES] = {0}, all = 0;
    for (unsigned L = b->h; L < b->top; all += own[L++]) {
        first[L] = all;
        b->class[L - b->h].count = own[L];
    }
    bough_status status = make_leaving(b, all, error);
    if (status) return status;
    for (unsigned L = b->h; L < b->top; L++)
        b->class[L - b->h].s = b->s + first[L], b->class[L - b->h].target = b->target + first[L];
    for (uint64_t i = 0; i < batch->count; i++) {
        uint32_t s = batch->source[i], t = batch->address[i];
        unsigned L = labels_apex(s, t);
        if (L < b->h) continue;
        b->s[first[L]] = s ^ base;
        b->target[first[L]++] = t;
    }
    return BOUGH_OK;
}

bough_status labels_border_read(labels_border *b, const border_batch *read, bough_error *error) {
    const bough_sources part = {b->lists->places.base, UINT64_C(1) << b->h};
    FREE_ALL(b->s, b->target);
    b->s = b->target = NULL;
    memset(b->class, 0, sizeof b->class);
    b->columns.claims = 0;
    return bough_batch_read_part(read->traffic, read->key, part, read->batch, error);
}

bough_status labels_border_take(labels_border *b, bough_status status, const border_messages *m,
                                bough_error *error) {
    uint64_t count[LABELS_CLASSES + 1] = {0}; /* by class; then the ranks whose sources do not ascend */
    uint64_t own[LABELS_CLASSES];
    memcpy(own, m->census->live, sizeof own);
    memcpy(count, own, b->top * sizeof *count);
    count[b->top] = !m->ascend;
    status = group_agree(b->group, status, error);
    TRY(group_sum_counts(b->group, count, b->top + 1, error));
    if (status) return status;
    memcpy(m->census->live, count, b->top * sizeof *count);
    b->dense = !count[b->top] && is_dense(b, m->census);
    return b->dense ? BOUGH_OK : take_leaving(b, m->batch, own, error);
}

bough_status labels_border_thin(labels_border *b, const labels_census *census, bough_error *error) {
    const uint64_t all = live_above(b, census), n = UINT64_C(1) << b->h, most = all < n ? all : n;
    const uint32_t base = b->lists->places.base;
    label *w = NULL;
    if (!b->dense || is_dense(b, census)) return BOUGH_OK;
    b->dense = false;
    bough_status status = make_leaving(b, most, error);
    TRY(bough_alloc(&w, most, sizeof *w, error));
    if (status) return status;
    uint64_t first = 0;
    for (unsigned L = b->h; L < b->top; L++) {
        leaving *c = &b->class[L - b->h];
        *c = (leaving){b->s + first, b->target + first, 0};
        c->count = labels_planes_take(b->planes, L, c->s, w, b->lists->tally);
        for (uint64_t i = 0; i < c->count; i++) c->target[i] = label_target(w[i]) ^ base;
        first += c->count;
    }
    free(w);
    return BOUGH_OK;
}

bough_status labels_border_agree(labels_border *b, bough_status status, bough_error *error) {
    return group_agree(b->group, status, error);
}

bough_status labels_border_claims(labels_border *b, uint64_t *claims, bough_error *error) {
    *claims += b->columns.claims;
    return group_sum_counts(b->group, claims, 1, error);
}

/* ---- exchanges ---- */

/* Makes parts of `size` bytes for each of the elements that b->next counts, by keys of a rank, and turns the
 * counts into where those of a key begin. */
static bough_status make_parts(labels_border *b, uint64_t keys, uint64_t size, rank_parts *parts,
                               bough_error *error) {
    uint64_t before = 0;
    memset(b->size, 0, b->ranks * sizeof *b->size);
    for (uint64_t key = 0; key < b->ranks * keys; key++) {
        uint64_t count = b->next[key];
        b->size[key / keys] += count * size;
        b->next[key] = before;
        before += count;
    }
    return rank_parts_make(parts, b->ranks, b->size, error);
}

/* Zeroed counts. */
static uint64_t *start_counts(labels_border *b, uint64_t keys) {
    return memset(b->next, 0, b->ranks * keys * sizeof *b->next);
}

/* Makes parts of one byte for each element of `size` bytes that has come. */
static bough_status make_reply(labels_border *b, const rank_parts *to, uint64_t size, rank_parts *parts,
                               bough_error *error) {
    for (unsigned r = 0; r < b->ranks; r++) b->size[r] = (to->at[r + 1] - to->at[r]) / size;
    return rank_parts_make(parts, b->ranks, b->size, error);
}

/* Exchanges what a step has made, and frees it. */
static bough_status send(const crossing *x, bough_status status, rank_parts *out, rank_parts *in,
                         bough_error *error) {
    bough_status result = group_exchange(x->b->group, status, out, in, error);
    rank_parts_fini(out);
    return result;
}

/* ---- steps ---- */

/* From the sources to level h: the choices there. */
static bough_status leave(crossing *x, bough_error *error) {
    labels_border *b = x->b;
    const leaving *c = x->leaving;
    const unsigned shift = b->h - (b->top - b->h); /* a column shifted by it is its rank */
    uint64_t *next = start_counts(b, b->keys);
    label *w = NULL;
    bough_status status = bough_alloc(&w, c->count, sizeof *w, error);
    for (uint64_t i = 0; i < c->count && !status; i++) w[i] = c->target[i];
    if (!status) labels_climb_all(&b->lists->climb, c->s, c->count, b->h, w);
    for (uint64_t i = 0; i < c->count && !status; i++) next[label_choices(w[i]) >> b->key_shift]++;
    TRY(make_parts(b, b->keys, sizeof(column_entry), &x->up, error));
    TRY(bough_alloc(&x->sent, c->count, sizeof *x->sent, error));
    column_entry *to = (column_entry *)x->up.bytes;
    for (uint64_t i = 0; i < c->count && !status; i++) {
        uint32_t column = label_choices(w[i]);
        uint64_t place = next[column >> b->key_shift]++;
        to[place] = (column_entry){column & ((UINT32_C(1) << shift) - 1), label_target(w[i])};
        x->sent[place] = (uint32_t)i;
    }
    b->columns.claims += c->count * (x->run->L + 1); /* up, and the first link down */
    free(w);
    return status;
}

/* The columns: what is left goes down as labels. */
static bough_status pass(crossing *x, bough_error *error) {
    labels_border *b = x->b;
    labels_columns *columns = &b->columns;
    const column_entry *entry = (const column_entry *)x->entries.bytes;
    const uint32_t low = (uint32_t)((UINT64_C(1) << b->h) - 1);
    uint64_t count = x->entries.at[b->ranks] / sizeof *entry, *next = start_counts(b, 1);
    bough_status status = bough_alloc(&x->in, count, sizeof *x->in, error);
    TRY(bough_alloc(&x->passed, count, sizeof *x->passed, error));
    if (status) return status;
    for (unsigned r = 0; r < b->ranks; r++)
        for (uint64_t i = x->entries.at[r]; i < x->entries.at[r + 1]; i += sizeof *entry)
            x->in[i / sizeof *entry].from = (uint16_t)r;
    x->class = (column_class){x->run->r, x->run->L, entry, x->in, count};
    labels_columns_run(columns, &x->class);
    x->reached = columns->reached;
    for (uint64_t i = 0; i < count; i++) next[entry[i].target >> b->h] += x->in[i].end == COLUMN_DOWN;
    status = make_parts(b, 1, sizeof(label), &x->down, error);
    label *to = (label *)x->down.bytes;
    for (uint64_t i = 0; i < count && !status; i++) {
        if (x->in[i].end != COLUMN_DOWN) continue;
        uint64_t place = next[entry[i].target >> b->h]++;
        uint32_t t = entry[i].target & low, p = (uint32_t)columns->first + entry[i].column;
        to[place] = t | (uint64_t)(t ^ p) << 32;
        x->passed[place] = (uint32_t)i;
    }
    return status;
}

/* From level h to the targets. */
static bough_status arrive(crossing *x, bough_error *error) {
    labels_border *b = x->b;
    const class_run *run = x->run;
    uint64_t count = x->guests.at[b->ranks] / sizeof(label);
    label *work[2] = {NULL, NULL};
    const unsigned class = run->L - b->h;
    bough_status status = make_reply(b, &x->guests, sizeof(label), &x->back, error);
    TRY(bough_alloc(&work[0], count, sizeof *work[0], error));
    TRY(bough_alloc(&work[1], count, sizeof *work[1], error));
    if (!status && !run->last)
        status =
            bough_alloc(&b->lists->guest_lost[class], 2 * (count + LABELS_UNITS_MAX), sizeof(label), error);
    labels_guests g = {(const label *)x->guests.bytes, count, {work[0], work[1]}, b->level, x->back.bytes};
    if (!status && count) {
        labels_run_guests(run, &g);
        run->r->reached = x->reached;
        x->arrived = labels_class_result(run);
        x->reached = run->r->reached;
    }
    FREE_ALL(work[0], work[1]);
    return status;
}

/* The columns: what became of the messages. */
static bough_status note(crossing *x, bough_error *error) {
    labels_border *b = x->b;
    for (uint64_t i = 0; i < x->outcomes.at[b->ranks]; i++) x->in[x->passed[i]].end = x->outcomes.bytes[i];
    if (!x->run->last) labels_columns_keep(&b->columns, &x->class);
    bough_status status = make_reply(b, &x->entries, sizeof(column_entry), &x->back, error);
    for (uint64_t i = 0; i < x->class.count && !status; i++)
        x->back.bytes[i] = x->in[i].end == LABELS_ARRIVED;
    return status;
}

/* The sources: removes the messages that have arrived. */
static void settle(const crossing *x) {
    leaving *c = x->leaving;
    uint64_t left = 0;
    for (uint64_t i = 0; i < c->count; i++)
        if (x->results.bytes[i]) c->s[x->sent[i]] = UINT32_MAX;
    for (uint64_t i = 0; i < c->count; i++) {
        if (c->s[i] == UINT32_MAX) continue;
        c->s[left] = c->s[i];
        c->target[left++] = c->target[i];
    }
    c->count = left;
}

static bough_status cross(crossing *x, bough_status status, bough_error *error) {
    if (!status) status = leave(x, error);
    status = send(x, status, &x->up, &x->entries, error);
    if (!status) status = send(x, pass(x, error), &x->down, &x->guests, error);
    if (!status) status = send(x, arrive(x, error), &x->back, &x->outcomes, error);
    if (!status) status = send(x, note(x, error), &x->back, &x->results, error);
    if (!status) settle(x);
    rank_parts_fini(&x->entries);
    rank_parts_fini(&x->guests);
    rank_parts_fini(&x->outcomes);
    rank_parts_fini(&x->results);
    FREE_ALL(x->sent, x->passed, x->in);
    return status;
}

/* A class in planes. */
static bough_status cross_dense(labels_border *b, const class_run *run, labels_census *census,
                                bough_error *error) {
    planes_crossing class = {b->group, run->L, 0};
    run->r->reached = run->L;
    bough_status status = labels_planes_cross(b->planes, run->r, &class, error);
    census->arrived[run->L] = class.arrived;
    return status;
}

static bough_status cross_labels(labels_border *b, const class_run *run, labels_census *census,
                                 bough_error *error) {
    crossing x = {.b = b, .run = run, .leaving = &b->class[run->L - b->h]};
    bough_status status = cross(&x, BOUGH_OK, error);
    census->arrived[run->L] = x.arrived;
    run->r->reached = x.reached;
    return status;
}

bough_status labels_border_run(labels_border *b, class_run *run, labels_census *census, bough_status status,
                               bough_error *error) {
    status = group_agree(b->group, status, error);
    if (!b->dense) labels_columns_round(&b->columns);
    for (unsigned L = b->h; L <= run->r->highest && !status; L++) {
        run->L = L;
        run->last = L == run->r->highest;
        labels_release(run);
        bool planes = b->dense && census->live[L];
        if (b->planes && !planes) labels_planes_release(b->planes, run->r, L);
        if (!census->live[L]) continue;
        status = b->dense ? cross_dense(b, run, census, error) : cross_labels(b, run, census, error);
        census->reached[L] = UINT64_C(1) << run->r->reached;
    }
    for (unsigned i = 0; i < b->top - b->h; i++) {
        free(b->lists->guest_lost[i]);
        b->lists->guest_lost[i] = NULL;
    }
    if (b->dense) TRY(labels_planes_return(b->planes, b->group, error));
    status = group_agree(b->group, status, error);
    TRY(group_sum_counts(b->group, census->arrived, b->top, error));
    TRY(group_or(b->group, census->reached, b->top, error));
    return status;
}
