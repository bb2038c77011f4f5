#include "engines/channels/offline.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct offline_splitter {
    const channel_tree *tree;
    size_t capacity;     /* allocated messages */
    uint32_t *from, *to; /* endpoints of the messages of the current node, in its order */
    uint32_t *message;   /* their numbers in the batch */
    uint32_t *mate[2];   /* by source, by destination: an index into these arrays, or none */
    uint32_t *rest;      /* without a mate so far */
    uint64_t *order;     /* place << 32 | index */
    uint64_t *sorted;    /* messages by the node of their nearest common ancestor: level, place of its first
                            endpoint, number */
    uint8_t *half;
    uint32_t *load[2]; /* per channel: up, down; 0 between uses */
    size_t room[8];
};

uint64_t offline_bytes(const bough_net *net, uint64_t messages) {
    return bough_add(bough_mul(messages, 6 * sizeof(uint32_t) + 4 * sizeof(uint64_t) + 1),
                     bough_mul(net->endpoints, 4 * sizeof(uint32_t)));
}

bough_status offline_create(const channel_tree *tree, offline_splitter **out, bough_error *error) {
    offline_splitter *s;
    bough_status status = bough_alloc(out, 1, sizeof *s, error);
    if (status) return status;
    s = *out;
    s->tree = tree;
    for (unsigned i = 0; i < 2 && !status; i++)
        status = bough_alloc(&s->load[i], tree->channels, sizeof *s->load[i], error);
    if (!status) return BOUGH_OK;
    offline_destroy(s);
    *out = NULL;
    return status;
}

void offline_destroy(offline_splitter *s) {
    if (!s) return;
    void *all[] = {s->from,  s->to,     s->message, s->mate[0], s->mate[1], s->rest,
                   s->order, s->sorted, s->half,    s->load[0], s->load[1]};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    free(s);
}

static bough_status reserve(offline_splitter *s, uint64_t count, bough_error *error) {
    uint32_t **word[] = {&s->from, &s->to, &s->message, &s->mate[0], &s->mate[1], &s->rest};
    bough_status status = BOUGH_OK;
    if (count <= s->capacity) return status;
    for (unsigned i = 0; i < 6 && !status; i++) {
        free(*word[i]);
        status = bough_alloc(word[i], count, sizeof **word[i], error);
    }
    free(s->order);
    free(s->sorted);
    free(s->half);
    s->order = s->sorted = NULL;
    s->half = NULL;
    TRY(bough_alloc(&s->order, count, sizeof *s->order, error));
    TRY(bough_alloc(&s->sorted, bough_mul(count, 2), sizeof *s->sorted, error));
    TRY(bough_alloc(&s->half, count, sizeof *s->half, error));
    s->capacity = status ? 0 : count;
    return status;
}

/* ---- one node: messages at .. at + count - 1 of the arrays ---- */

static void add_load(offline_splitter *s, unsigned level, uint32_t i, uint32_t by) {
    for (unsigned l = 0; l < level; l++) {
        s->load[0][channel_at(s->tree, l, s->from[i])] += by;
        s->load[1][channel_at(s->tree, l, s->to[i])] += by;
    }
}

/* True if the channels can carry all of them at once. */
static bool fits(offline_splitter *s, unsigned level, uint32_t at, uint32_t count) {
    const channel_tree *t = s->tree;
    bool all = true;
    for (uint32_t i = at; i < at + count; i++) add_load(s, level, i, 1);
    for (uint32_t i = at; i < at + count; i++)
        for (unsigned l = 0; l < level && all; l++) {
            uint64_t up = channel_at(t, l, s->from[i]), down = channel_at(t, l, s->to[i]);
            all = s->load[0][up] <= t->capacity[up] && s->load[1][down] <= t->capacity[down];
        }
    for (uint32_t i = at; i < at + count; i++) add_load(s, level, i, -1u);
    return all;
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Pairs messages by one end; unpaired messages of a subtree move on to the next larger one. */
static void join(offline_splitter *s, unsigned level, uint32_t at, uint32_t count, unsigned side) {
    const uint32_t *end = side ? s->to : s->from;
    uint32_t *mate = s->mate[side], left = count;
    for (uint32_t i = 0; i < count; i++) {
        s->order[i] = subtrees_place(&s->tree->rows, end[at + i]) << 32 | (at + i);
        mate[at + i] = BOUGH_NONE32;
    }
    qsort(s->order, count, sizeof *s->order, ascending);
    for (uint32_t i = 0; i < count; i++) s->rest[i] = (uint32_t)s->order[i];
    for (unsigned l = 0; l < level && left > 1; l++) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < left; i++) {
            uint32_t a = s->rest[i], b = i + 1 < left ? s->rest[i + 1] : a;
            if (a != b && channel_at(s->tree, l, end[a]) == channel_at(s->tree, l, end[b])) {
                mate[a] = b;
                mate[b] = a;
                i++;
            } else {
                s->rest[kept++] = a;
            }
        }
        left = kept;
    }
}

enum { UNDECIDED = 2 };

/* Assigns halves from message i on, following mates by source and by destination in turn. */
static void alternate(offline_splitter *s, uint32_t i, unsigned side) {
    unsigned half = s->half[i];
    for (uint32_t next = s->mate[side][i]; next != BOUGH_NONE32 && s->half[next] == UNDECIDED;
         next = s->mate[side][next]) {
        s->half[next] = (uint8_t)(half ^= 1);
        side ^= 1;
    }
}

static void swap_messages(offline_splitter *s, uint32_t a, uint32_t b) {
    uint32_t *word[] = {s->from, s->to, s->message};
    for (unsigned i = 0; i < 3; i++) {
        uint32_t keep = word[i][a];
        word[i][a] = word[i][b];
        word[i][b] = keep;
    }
    uint8_t half = s->half[a];
    s->half[a] = s->half[b];
    s->half[b] = half;
}

/* Moves half 0 to the front; returns its size. */
static uint32_t halve(offline_splitter *s, unsigned level, uint32_t at, uint32_t count) {
    join(s, level, at, count, 0);
    join(s, level, at, count, 1);
    memset(s->half + at, UNDECIDED, count);
    for (uint32_t i = at; i < at + count; i++) {
        if (s->half[i] != UNDECIDED) continue;
        s->half[i] = 0;
        alternate(s, i, 0);
        alternate(s, i, 1);
    }
    uint32_t low = at, high = at + count;
    while (low < high)
        if (s->half[low] == 0)
            low++;
        else
            swap_messages(s, low, --high);
    return low - at;
}

static bough_status check_halves(offline_splitter *s, unsigned level, uint32_t at, uint32_t first,
                                 uint32_t count, bough_error *error) {
    bool even = true;
    for (uint32_t i = at; i < at + count; i++) add_load(s, level, i, i < at + first ? 1 : -1u);
    for (uint32_t i = at; i < at + count; i++)
        for (unsigned l = 0; l < level; l++) {
            uint32_t up = s->load[0][channel_at(s->tree, l, s->from[i])];
            uint32_t down = s->load[1][channel_at(s->tree, l, s->to[i])];
            even = even && up + 1 <= 2 && down + 1 <= 2; /* -1, 0 or 1 */
        }
    for (uint32_t i = at; i < at + count; i++) add_load(s, level, i, i < at + first ? -1u : 1);
    return even ? BOUGH_OK
                : bough_fail(error, BOUGH_FAILED, NULL,
                             "two halves of messages with NCA level %u differ by more than one on a channel",
                             level);
}

/* Assigns set numbers from *sets on. */
static bough_status split_node(offline_splitter *s, unsigned level, uint32_t at, uint32_t count, bool verify,
                               uint32_t *sets, uint32_t *cycle, bough_error *error) {
    if (fits(s, level, at, count)) {
        for (uint32_t i = at; i < at + count && cycle; i++) cycle[s->message[i]] = *sets;
        ++*sets;
        return BOUGH_OK;
    }
    uint32_t first = halve(s, level, at, count);
    bough_status status = verify ? check_halves(s, level, at, first, count, error) : BOUGH_OK;
    TRY(split_node(s, level, at, first, verify, sets, cycle, error));
    return status ? status : split_node(s, level, at + first, count - first, verify, sets, cycle, error);
}

/* ---- all nodes ---- */

static int by_node(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    if (x[0] != y[0]) return (x[0] > y[0]) - (x[0] < y[0]);
    return (x[1] > y[1]) - (x[1] < y[1]);
}

/* Sorts moving messages by level and node; returns their number. */
static uint64_t sort_messages(offline_splitter *s, const bough_batch *b, uint32_t *cycle) {
    const subtrees *rows = &s->tree->rows;
    uint64_t moving = 0;
    for (uint64_t i = 0; i < b->count; i++) {
        uint64_t to = bough_address_node(s->tree->net, b->address[i]);
        if (cycle) cycle[i] = BOUGH_NONE32;
        if (to == b->source[i]) continue;
        unsigned level = subtrees_nca_level(rows, b->source[i], to);
        bough_range node = subtrees_around(rows, level, subtrees_place(rows, to));
        s->sorted[2 * moving] = (uint64_t)level << 32 | node.first;
        s->sorted[2 * moving++ + 1] = i;
    }
    if (moving) qsort(s->sorted, moving, 2 * sizeof *s->sorted, by_node);
    for (uint64_t i = 0; i < moving; i++) {
        uint64_t m = s->sorted[2 * i + 1];
        s->message[i] = (uint32_t)m;
        s->from[i] = b->source[m];
        s->to[i] = (uint32_t)bough_address_node(s->tree->net, b->address[m]);
    }
    return moving;
}

bough_status offline_split(offline_splitter *s, const bough_batch *batch, bool verify, uint32_t *cycle,
                           offline_result *r, bough_error *error) {
    *r = (offline_result){0};
    bough_status status = reserve(s, batch->count, error);
    if (status) return status;
    uint64_t moving = sort_messages(s, batch, cycle), before = 0;
    unsigned at_level = 0;
    for (uint64_t i = 0, next; i < moving && !status; i = next) {
        unsigned level = (unsigned)(s->sorted[2 * i] >> 32);
        for (next = i; next < moving && s->sorted[2 * next] == s->sorted[2 * i]; next++) {
        }
        if (level != at_level) before = r->cycles;
        at_level = level;
        uint32_t sets = (uint32_t)before;
        status = split_node(s, level, (uint32_t)i, (uint32_t)(next - i), verify, &sets, cycle, error);
        if (sets > r->cycles) r->cycles = sets;
        r->level_cycles[level] = r->cycles - before;
    }
    return status;
}
