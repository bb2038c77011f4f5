/* Simulation of rounds with paths as labels.
 *
 * A message is (source, destination, L): L is its apex, the highest bit in which the two differ. Its choices
 * going up are the bits p_0 .. p_{L-1}. On the way down it requests, for l = L .. 0, link x = (t >> l) << l |
 * (p mod 2^l) of level l (docs/strumpen2005.md; levels as in the paper).
 *
 * Classes. Level l is requested in cycle 4L - 2l, so requests for one link are simultaneous only within one
 * L, and smaller L come first. A message of apex L that is refused at level l frees its link at level l + d
 * in cycle 4L - 2l + d, so apex L' finds that link free if and only if 4 (L' - L) >= 3 d. A message that is
 * delivered, with its tail `payload` cycles behind the head, frees its link at level l in cycle 4L + 3 +
 * payload + l, as if refused below level 0: 4 (L' - L) >= 3 (l + 1) + payload. Otherwise (hold=end) it blocks
 * them until the round ends. Hence a round consists of classes of ascending L, and each class descends level
 * by level. A class needs one bit per link about the classes before it: blocked or not. When a class reaches
 * level l, its links at level l + 2 are blocked for the next class in any case; the link at level l + 1 is
 * free again for the next class if the message is refused. Blocked links are freed before the first class
 * that finds them free (release). At most two messages of a class request one link, one from each link above
 * it.
 *
 * Cost. A request takes a few instructions if its bytes are in the first-level cache, and a cache miss
 * otherwise. So the labels of a class are first sorted by their tiles in the levels >= cut, by the low bits
 * of p (labels_positions.h), and the survivors then by those in the levels < cut, by the high bits of t.
 * Classes with many messages use bit planes instead of labels (labels_dense.h). */
#include "engines/circuit/labels/labels_rounds.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "engines/circuit/labels/labels_class.h"
#include "traffic/patterns/batch_team.h"

#include <string.h>

struct labels_rounds {
    label_lists lists;
    uint64_t share;        /* a class in planes has more than this fraction of all endpoints */
    unsigned lowest;       /* lowest class that may be kept in planes */
    labels_planes *planes; /* NULL: no class can be that large */
    uint32_t dense;        /* the classes kept in planes */
    uint32_t *place;       /* [range of the batch][class][unit] */
    size_t place_capacity, round_capacity;
    uint64_t *per_round; /* history */
};

/* Cycles of a round, and the arrivals up to the cycle limit. */
typedef struct round_times {
    uint64_t base, limit, payload;
    uint64_t decided, notified; /* the last decision of a router; the last notification of a source */
    uint64_t acknowledged;      /* the last acknowledgement of an arrival that counts */
    uint64_t arrived;
} round_times;

/* A round that runs. */
typedef struct round_run {
    labels_rounds *w;
    round_times t;
    class_run c;
} round_run;

/* ---- the run ---- */

/* True if planes are faster than labels for a class of `messages` messages: planes cost as much as labels
 * of this fraction of all endpoints (bench/README.md). */
static bool is_dense(const labels_rounds *r, unsigned L, uint64_t messages) {
    return r->planes && L >= r->lowest && messages * r->share > UINT64_C(1) << r->lists.places.h;
}

/* ---- the batch ---- */

/* Sorting of a batch by class and unit, in ranges of its messages. */
typedef struct batch_sort {
    labels_rounds *r;
    const bough_batch *batch;
    uint64_t slots; /* per range */
    bool ascend[LABELS_RANGES_MAX];
} batch_sort;

static uint32_t *slot_of(const batch_sort *b, uint64_t range, unsigned L, uint64_t unit) {
    return b->r->place + range * b->slots + L * (uint64_t)b->r->lists.low_units + unit;
}

static void count_range(void *context, unsigned worker, uint64_t range) {
    batch_sort *b = context;
    const label_lists *w = &b->r->lists;
    const uint32_t *s = b->batch->source, *t = b->batch->address;
    uint64_t from = team_part(b->batch->count, w->ranges, range),
             to = team_part(b->batch->count, w->ranges, range + 1);
    bool ascend = true;
    (void)worker;
    memset(slot_of(b, range, 0, 0), 0, b->slots * sizeof(uint32_t));
    for (uint64_t i = from; i < to; i++) {
        ++*slot_of(b, range, labels_apex(s[i], t[i]), s[i] >> w->unit_shift);
        ascend &= i == 0 || s[i - 1] < s[i];
    }
    b->ascend[range] = ascend;
}

static void scatter_range(void *context, unsigned worker, uint64_t range) {
    const batch_sort *b = context;
    label_lists *w = &b->r->lists;
    const uint32_t *s = b->batch->source, *t = b->batch->address;
    uint64_t from = team_part(b->batch->count, w->ranges, range),
             to = team_part(b->batch->count, w->ranges, range + 1);
    (void)worker;
    for (uint64_t i = from; i < to; i++) {
        unsigned L = labels_apex(s[i], t[i]);
        if (b->r->dense >> L & 1) continue;
        uint32_t place = (*slot_of(b, range, L, s[i] >> w->unit_shift))++;
        w->s[place] = s[i];
        w->message[place] = t[i];
    }
}

/* Turns the counts of a class into places, from `place` on. Returns their end. */
static uint64_t place_class(const batch_sort *b, unsigned L, uint64_t place) {
    label_lists *w = &b->r->lists;
    for (unsigned unit = 0; unit < w->low_units; unit++) {
        uint64_t first = place;
        for (unsigned range = 0; range < w->ranges; range++) {
            uint32_t *slot = slot_of(b, range, L, unit), count = *slot;
            *slot = (uint32_t)place;
            place += count;
        }
        w->span[L][unit] = (label_span){(uint32_t)first, (uint32_t)(place - first)};
    }
    return place;
}

static uint64_t count_class(const batch_sort *b, unsigned L) {
    uint64_t sum = 0;
    for (unsigned range = 0; range < b->r->lists.ranges; range++)
        for (unsigned unit = 0; unit < b->r->lists.low_units; unit++) sum += *slot_of(b, range, L, unit);
    return sum;
}

/* Sorts the batch by class. Classes in planes reserve room for the labels they become when few are left. */
static bough_status sort_by_class(labels_rounds *r, const bough_batch *batch, bough_error *error) {
    label_lists *w = &r->lists;
    batch_sort b = {.r = r, .batch = batch, .slots = (uint64_t)w->places.h * w->low_units};
    uint64_t few = (UINT64_C(1) << w->places.h) / r->share, first = 0;
    bool ascend = true;
    bough_status status =
        bough_grow(&r->place, &r->place_capacity, b.slots * w->ranges, sizeof *r->place, error);
    if (status) return status;
    r->dense = 0;
    team_each(w->team, w->ranges, count_range, &b);
    for (unsigned range = 0; range < w->ranges; range++) ascend &= b.ascend[range];
    for (unsigned L = 0; L < w->places.h; L++) {
        w->live[L] = count_class(&b, L);
        w->first[L] = first;
        bool dense = ascend && is_dense(r, L, w->live[L]);
        if (dense) r->dense |= UINT32_C(1) << L;
        first = dense ? first + few : place_class(&b, L, first);
    }
    if (r->dense) labels_planes_load(r->planes, batch, r->dense);
    team_each(w->team, w->ranges, scatter_range, &b);
    return BOUGH_OK;
}

/* A class of which few messages are left becomes labels. */
static void take_from_planes(labels_rounds *r, unsigned L) {
    label_lists *w = &r->lists;
    uint32_t *end = w->tally; /* [tile] */
    uint64_t tiles = w->places.low_tiles, first = w->first[L], before = 0;
    r->dense ^= UINT32_C(1) << L;
    labels_planes_take(r->planes, L, w->s + first, w->message + first, end);
    for (unsigned unit = 0; unit < w->low_units; unit++) {
        uint64_t next = end[team_part(tiles, w->low_units, unit + 1) - 1];
        w->span[L][unit] = (label_span){(uint32_t)(first + before), (uint32_t)(next - before)};
        before = next;
    }
}

/* Drawing the coins of a whole level costs as much as drawing those of this fraction of all endpoints one by
 * one. */
#define DRAWN_SHARE 256

/* The levels that many messages pass, whose coins are drawn in advance. */
static unsigned drawn_levels(const labels_rounds *r) {
    const label_lists *w = &r->lists;
    uint64_t through = 0;
    for (unsigned L = w->places.h; L-- > 1;) {
        through += w->live[L];
        if ((r->dense >> L & 1) || through * DRAWN_SHARE > UINT64_C(1) << w->places.h) return L;
    }
    return 0;
}

static inline void advance_to(uint64_t *cycle, uint64_t to) {
    if (to > *cycle) *cycle = to;
}

/* Adds class L, of whose messages so many arrived. If none did, the last one was refused at the lowest level
 * that they reached. */
static void add_times(round_run *c, unsigned L, uint64_t arrived) {
    round_times *t = &c->t;
    uint64_t turned = t->base + 4 * L, reached = c->c.r->reached;
    c->w->lists.live[L] -= arrived;
    if (!arrived) {
        advance_to(&t->decided, turned - 2 * reached);
        advance_to(&t->notified, turned + 2 * L + 1 - 3 * reached);
        return;
    }
    uint64_t acknowledged = turned + 2 * L + 3 + t->payload;
    advance_to(&t->decided, turned);
    advance_to(&t->notified, acknowledged);
    if (turned > t->limit) return;
    advance_to(&t->acknowledged, acknowledged);
    t->arrived += arrived;
}

static void add_class(round_run *c, unsigned L) {
    class_run some = c->c;
    some.L = some.r->reached = L;
    if (c->w->lists.live[L]) add_times(c, L, labels_class_result(&some));
}

/* Runs class L, or, if they are below cut, also the next ones up to the lowest in planes. Returns the last
 * one. */
static unsigned run_classes(round_run *c, unsigned L) {
    labels_rounds *r = c->w;
    unsigned end = L + 1, cut = r->lists.places.cut;
    c->c.L = L;
    if (r->dense >> L & 1) {
        labels_release(&c->c);
        c->c.r->reached = L;
        add_times(c, L, labels_planes_run(r->planes, c->c.r, L));
        return L;
    }
    if (r->planes && L > r->lowest) labels_planes_release(r->planes, c->c.r, L);
    if (L >= cut) {
        labels_release(&c->c);
        c->c.last = L == c->c.r->highest;
        if (r->lists.live[L]) labels_run_class(&c->c);
        add_class(c, L);
        return L;
    }
    while (end < cut && end <= c->c.r->highest && end <= r->lowest && !(r->dense >> end & 1)) end++;
    labels_run_low(&c->c, end);
    for (unsigned i = L; i < end; i++) add_class(c, i);
    return end - 1;
}

static void run_round(round_run *c, const bough_run *run) {
    labels_rounds *r = c->w;
    label_lists *w = &r->lists;
    for (unsigned L = 0; L < w->places.h; L++) {
        if (w->live[L]) c->c.r->highest = L;
        if ((r->dense >> L & 1) && !is_dense(r, L, w->live[L])) take_from_planes(r, L);
    }
    labels_climb_start(&w->climb, w->team, c->c.r->key, c->c.r->occasion, drawn_levels(r));
    label_lists_round(w);
    for (unsigned L = 0; L <= c->c.r->highest; L++) /* up, and the first link down */
        w->worker[0]->claims += w->live[L] * (L + 1);
    for (unsigned L = 0; L <= c->c.r->highest && !bough_run_stopped(run); L++) L = run_classes(c, L);
    if (r->planes) labels_planes_end(r->planes);
}

/* The deliveries of the round that ends. */
static bough_status add_history(labels_rounds *r, uint64_t arrived, circuit_result *result,
                                bough_error *error) {
    bough_status status =
        bough_grow(&r->per_round, &r->round_capacity, result->rounds + 1, sizeof *r->per_round, error);
    if (status) return status;
    r->per_round[result->rounds] = arrived;
    result->per_round = r->per_round;
    return BOUGH_OK;
}

/* Runs rounds until all messages are delivered. */
static bough_status run_rounds(round_run *c, const circuit_trial *trial, circuit_result *result,
                               bough_error *error) {
    const circuit_options *o = trial->options;
    labels_round *round = c->c.r;
    uint64_t left = result->messages;
    for (; left && !result->cut_off && result->rounds < o->round_limit; result->rounds++) {
        bool clock = o->mode == CIRCUIT_CYCLES;
        if (clock && result->rounds) c->t.base = c->t.notified + 1;
        c->t.arrived = 0;
        round->occasion = clock ? c->t.base : result->rounds << 32;
        run_round(c, trial->run);
        if (bough_run_stopped(trial->run)) return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
        if (result->rounds == 0) result->first = c->t.arrived;
        result->attempts += left;
        left -= c->t.arrived;
        bough_status status = o->history ? add_history(c->w, c->t.arrived, result, error) : BOUGH_OK;
        if (status) return status;
        result->cut_off = c->t.decided > c->t.limit;
    }
    result->undelivered = left;
    return BOUGH_OK;
}

bough_status labels_rounds_run(labels_rounds *r, const circuit_trial *trial, circuit_result *result,
                               bough_error *error) {
    const circuit_options *o = trial->options;
    label_lists *w = &r->lists;
    uint64_t n = UINT64_C(1) << w->places.h;
    bough_batch batch;
    bough_status status = label_lists_start(w, trial->team, error);
    if (!status && r->planes) status = labels_planes_start(r->planes, w->team, error);
    TRY(batch_read_team(trial->run->point.traffic, trial->key, trial->team, &batch, error));
    if (status) return status;
    status = sort_by_class(r, &batch, error);
    result->messages = batch.count;
    bough_batch_fini(&batch);
    labels_round round = {.key = trial->key,
                          .order_first = n + (w->places.h - 1) * (n / 2),
                          .hold = LABELS_TO_END,
                          .shut = w->blocked,
                          .count_claims = o->count_claims};
    if (!o->hold_to_end) round.hold = o->payload;
    round_run c = {.w = r, .t = {.limit = o->cycle_limit, .payload = o->payload}, .c = {.w = w, .r = &round}};
    if (c.t.limit > CIRCUIT_CYCLES_MAX) c.t.limit = CIRCUIT_CYCLES_MAX;
    TRY(run_rounds(&c, trial, result, error));
    if (status) return status;
    if (o->mode == CIRCUIT_CYCLES) result->cycles = c.t.acknowledged;
    for (unsigned i = 0; i < w->workers; i++) result->claims += w->worker[i]->claims;
    if (r->planes) result->claims += labels_planes_claims(r->planes);
    result->cut_off = result->undelivered > 0;
    return BOUGH_OK;
}

/* ---- memory ---- */

#define SHARE   96 /* figures in bench/README.md */
#define CLASSES 5

/* Default tuning: as many planes as there are dense classes in a uniform batch of m messages. */
static labels_tuning completed(const labels_tuning *given, unsigned h, uint64_t m) {
    labels_tuning t = given ? *given : (labels_tuning){0};
    bool chosen = t.classes;
    if (!t.share) t.share = SHARE;
    while (!chosen && t.classes < CLASSES && t.classes < h &&
           (m >> (t.classes + 1)) * t.share > UINT64_C(1) << h)
        t.classes++;
    if (t.classes > h) t.classes = h;
    return t;
}

/* In a uniform batch of m messages there are at most the labels of small classes and the remainder of large
 * ones. The arrays of labels are partly unused: `work` is filled up to the largest class, its second half by
 * survivors only, and `lost` by all classes but the last. Together this is a third of them if half of the
 * messages are in the last class. */
uint64_t labels_rounds_bytes(unsigned h, uint64_t m) {
    labels_tuning t = completed(NULL, h, m);
    labels_places places = labels_places_make(h, t.cut);
    uint64_t bits = (h + 1) * places.words * sizeof(uint64_t);
    uint64_t bytes = sizeof(labels_rounds) + sizeof(label_worker) + labels_climb_bytes(&places) + bits;
    if (t.classes) bytes = bough_add(bytes, labels_planes_bytes(&places, h - t.classes));
    uint64_t labels = (m >> t.classes) + t.classes * ((UINT64_C(1) << h) / t.share);
    return bough_add(bytes, bough_mul(labels, 12 + 8));
}

/* Labels of the levels below cut have lists of losses of their own. */
uint64_t labels_rounds_bytes_each(unsigned h, uint64_t m) {
    labels_tuning t = completed(NULL, h, m);
    labels_places places = labels_places_make(h, t.cut);
    uint64_t bytes = bough_add(sizeof(label_worker), bough_mul(m >> t.classes, sizeof(label)));
    return t.classes ? bough_add(bytes, labels_planes_bytes_each(&places)) : bytes;
}

bough_status labels_rounds_make(unsigned h, uint64_t m, const labels_tuning *tuning, labels_rounds **out,
                                bough_error *error) {
    labels_rounds *r;
    labels_tuning t = completed(tuning, h, m);
    bough_status status = bough_alloc(&r, 1, sizeof *r, error);
    if (status) return status;
    *out = r;
    const labels_places places = labels_places_make(h, t.cut);
    label_lists *w = &r->lists;
    r->share = t.share;
    r->lowest = h - t.classes;
    status = label_lists_make(w, &places, m, error);
    if (!status && t.classes)
        status = labels_planes_make(&w->places, &w->climb, r->lowest, &r->planes, error);
    return status;
}

void labels_rounds_free(labels_rounds *r) {
    if (!r) return;
    label_lists_fini(&r->lists);
    labels_planes_free(r->planes);
    FREE_ALL(r->per_round, r->place, r);
}
