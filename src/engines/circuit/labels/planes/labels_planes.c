/* Memory of the planes; messages at their sources. */
#include "engines/circuit/labels/planes/labels_planes.h"

#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "engines/circuit/labels/planes/labels_bitplanes.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

/* The larger kind of tile. */
static uint64_t tile_words(const labels_places *s) {
    return s->low_words > s->high_words ? s->low_words : s->high_words;
}

static uint64_t stage_words(const labels_places *s) {
    return s->cut < s->h ? TOGETHER * stride_of(SCRATCH, tile_words(s)) : 0;
}

static uint64_t worker_words(const labels_places *s) {
    return 2 * SCRATCH * tile_words(s) + stage_words(s);
}

/* Places all arrays in one block, so that it can use large pages. Returns the size of the block in words. */
static uint64_t lay_out(labels_planes *p, uint64_t *block) {
    const labels_places *s = p->places;
    uint64_t h = s->h, classes = h - p->lowest, two_kinds = s->cut < h ? 1 : 0;
    const struct {
        uint64_t **array, words;
    } part[] = {
        {&p->home, (h + 1) * s->words},
        {&p->joint.word, s->high_tiles * p->joint.stride},
        {&p->down.word, two_kinds * s->low_tiles * p->down.stride},
        {&p->rise.word, two_kinds * (reach((unsigned)classes - 1) + 2) * s->words},
        {&p->cross, h * s->words},
        {&p->held, h * s->words},
        {&p->arrived, classes * s->words},
        {&p->due, classes > 2 ? (classes - 2) * h * s->words : 0},
        {&p->first_worker, worker_words(s)},
    };
    uint64_t words = 0;
    for (unsigned i = 0; i < sizeof part / sizeof *part; i++) {
        if (block) *part[i].array = block + words;
        words += part[i].words;
    }
    return words;
}

static labels_planes shape(const labels_places *places, const labels_climb *climb, unsigned lowest) {
    return (labels_planes){.places = places,
                           .climb = climb,
                           .lowest = lowest,
                           .joint.stride = stride_of(places->h + 1, places->high_words),
                           .down.stride = stride_of(places->cut + 1, places->low_words)};
}

uint64_t labels_planes_bytes(const labels_places *places, unsigned lowest) {
    labels_planes p = shape(places, NULL, lowest);
    return sizeof p + lay_out(&p, NULL) * sizeof(uint64_t) + sizeof(plane_worker);
}

/* Enough to be on a large page, unless that would be much more. */
static uint64_t whole_pages(uint64_t bytes) {
    const uint64_t page = UINT64_C(2) << 20;
    return bytes < page / 8 ? bytes : (bytes + page - 1) / page * page;
}

uint64_t labels_planes_bytes_each(const labels_places *s) {
    return sizeof(plane_worker) + whole_pages(worker_words(s) * sizeof(uint64_t));
}

/* The first worker is in the block of all planes. */
static bough_status make_worker(labels_planes *p, unsigned i, bough_error *error) {
    uint64_t tile = SCRATCH * tile_words(p->places), *block = p->first_worker;
    plane_worker *k = &p->worker[i];
    *k = (plane_worker){0};
    bough_status status =
        i ? large_alloc(&k->block, whole_pages(worker_words(p->places) * sizeof *block), 1, error) : BOUGH_OK;
    if (i) block = k->block;
    k->scratch[0] = block;
    k->scratch[1] = block + tile;
    k->stage = block + 2 * tile;
    return status;
}

bough_status labels_planes_start(labels_planes *p, thread_team *team, bough_error *error) {
    bough_status status = BOUGH_OK;
    unsigned count = team_size(team);
    p->team = team;
    for (unsigned i = 0; i < p->workers; i++) p->worker[i].claims = 0;
    if (count <= p->workers) return BOUGH_OK;
    plane_worker *more = realloc(p->worker, count * sizeof *more);
    if (!more) return bough_fail_memory(error, count * sizeof *more);
    p->worker = more;
    for (; p->workers < count && !status; p->workers++) status = make_worker(p, p->workers, error);
    return status;
}

uint64_t labels_planes_claims(const labels_planes *p) {
    uint64_t sum = 0;
    for (unsigned i = 0; i < p->workers; i++) sum += p->worker[i].claims;
    return sum;
}

bough_status labels_planes_make(const labels_places *places, const labels_climb *climb, unsigned lowest,
                                labels_planes **out, bough_error *error) {
    labels_planes *p;
    bough_status status = bough_alloc(&p, 1, sizeof *p, error);
    if (status) return status;
    *out = p;
    *p = shape(places, climb, lowest);
    status = large_alloc(&p->block, lay_out(p, NULL), sizeof *p->block, error);
    if (!status) lay_out(p, p->block);
    return status;
}

void labels_planes_free(labels_planes *p) {
    if (!p) return;
    for (unsigned i = 0; i < p->workers; i++) free(p->worker[i].block);
    FREE_ALL(p->block, p->worker, p);
}

/* ---- at the sources ---- */

/* A batch that is loaded. */
typedef struct batch_load {
    labels_planes *p;
    const bough_batch *batch;
    uint32_t classes;
} batch_load;

/* The first message whose source is at least s. */
static uint64_t first_from(const bough_batch *batch, uint64_t s) {
    uint64_t from = 0, to = batch->count;
    while (from < to) {
        uint64_t middle = (from + to) / 2;
        if (batch->source[middle] < s)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static void load_group(void *context, unsigned worker, uint64_t group) {
    const batch_load *load = context;
    const bough_batch *batch = load->batch;
    const labels_places *s = load->p->places;
    uint64_t w = group * TOGETHER * s->low_words, end = end_of(group, s->low_tiles) * s->low_words,
             i = first_from(batch, w * 64);
    (void)worker;
    for (; w < end; w++) {
        uint32_t target[64] = {0};
        uint64_t bits[32], present = 0, *to = home_of(load->p, w / s->low_words) + w % s->low_words;
        for (; i < batch->count && batch->source[i] >> 6 == w; i++) {
            unsigned slot = batch->source[i] & 63, L = labels_apex(batch->source[i], batch->address[i]);
            present |= (uint64_t)(load->classes >> L & 1) << slot;
            target[slot] = batch->address[i];
        }
        plane_transpose(target, bits);
        to[0] = present;
        for (unsigned j = 0; j < s->h; j++) to[(j + 1) * s->low_words] = bits[j];
    }
}

void labels_planes_load(labels_planes *p, const bough_batch *batch, uint32_t classes) {
    batch_load load = {p, batch, classes};
    each_group(p, p->places->low_tiles, load_group, &load);
}

/* Stores in `set` the messages of class L in the planes of a tile: the high bits of target and position are
 * equal, bit L differs. Planes are at level L or below. */
void planes_find_class(const labels_planes *p, const tile_planes *t, unsigned L, uint64_t *set) {
    const labels_places *s = p->places;
    uint64_t words = t->high ? s->high_words : s->low_words;
    memcpy(set, t->plane, words * sizeof *set);
    for (unsigned j = L; j < s->h; j++) {
        bool same = j > L, beyond = !t->high && j >= s->cut;
        if (beyond) same ^= t->tile >> (j - s->cut) & 1;
        plane_match(set, t->plane + (j + 1) * words, words, beyond ? 63 : labels_tile_bit(s, j), same);
    }
}

/* The target of the message of class L at a position of a tile of sources. Its bits from L on follow from the
 * source. */
static inline uint32_t target_at(const uint64_t *home, uint64_t words, uint64_t position, uint32_t source,
                                 unsigned L) {
    const uint64_t *bits = home + words + (position >> 6);
    uint32_t target = (source >> L ^ 1) << L;
    for (unsigned j = 0; j < L; j++) target |= (uint32_t)(bits[j * words] >> (position & 63) & 1) << j;
    return target;
}

/* A class that is taken from the planes. */
typedef struct class_take {
    labels_planes *p;
    unsigned L;
    uint32_t *s;
    label *message;
    uint32_t *end;
} class_take;

static void count_group(void *context, unsigned worker, uint64_t group) {
    const class_take *c = context;
    const labels_places *s = c->p->places;
    uint64_t *set = c->p->worker[worker].scratch[0];
    for (uint64_t tile = group * TOGETHER; tile < end_of(group, s->low_tiles); tile++) {
        planes_find_class(c->p, &(tile_planes){home_of(c->p, tile), tile, false}, c->L, set);
        c->end[tile] = (uint32_t)plane_count(set, s->low_words);
    }
}

/* end[tile]: in: where the messages of the tile begin. */
static void take_group(void *context, unsigned worker, uint64_t group) {
    const class_take *c = context;
    const labels_places *s = c->p->places;
    uint64_t words = s->low_words, *set = c->p->worker[worker].scratch[0];
    for (uint64_t tile = group * TOGETHER; tile < end_of(group, s->low_tiles); tile++) {
        uint64_t *home = home_of(c->p, tile), count = c->end[tile];
        planes_find_class(c->p, &(tile_planes){home, tile, false}, c->L, set);
        for (uint64_t i = 0; i < words; i++)
            for (uint64_t who = set[i]; who; who &= who - 1, count++) {
                uint64_t position = i << 6 | (uint64_t)__builtin_ctzll(who);
                c->s[count] = (uint32_t)(tile * words * 64 + position);
                c->message[count] = target_at(home, words, position, c->s[count], c->L);
            }
        c->end[tile] = (uint32_t)count;
    }
}

/* The messages also stay in the planes, where their class is not used again. */
void labels_planes_take(labels_planes *p, unsigned L, uint32_t *s, label *message, uint32_t *end) {
    class_take c = {p, L, s, message, end};
    uint64_t tiles = p->places->low_tiles;
    uint32_t before = 0;
    each_group(p, tiles, count_group, &c);
    for (uint64_t tile = 0; tile < tiles; tile++) {
        uint32_t count = end[tile];
        end[tile] = before;
        before += count;
    }
    each_group(p, tiles, take_group, &c);
}
