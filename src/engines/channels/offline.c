#include "engines/channels/offline.h"
#include "base/compare.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct offline_splitter {
    const channel_tree *tree;
    bool verify;
    uint32_t *from, *to; /* endpoints of the messages of the current node, in its order */
    uint32_t *message;   /* their numbers in the batch */
    uint32_t *mate[2];   /* by source, by destination: an index into these arrays, or none */
    uint32_t *rest;      /* without a mate so far */
    uint64_t *order;     /* place << 32 | index */
    uint64_t *sorted;    /* messages by the node of their nearest common ancestor: level, place of its first
                            endpoint, number */
    uint8_t *half;
    uint32_t *load[2]; /* per channel: up, down; 0 between uses */
    uint32_t *cycle;   /* of the run: per message, its set; may be NULL */
    uint32_t sets;     /* of the current level so far */
};

uint64_t offline_bytes(const bough_net *net, uint64_t messages) {
    return bough_add(bough_mul(messages, 6 * sizeof(uint32_t) + 4 * sizeof(uint64_t) + 1),
                     bough_mul(net->endpoints, 4 * sizeof(uint32_t)));
}

bough_status offline_create(const channel_tree *tree, bool verify, uint64_t messages, offline_splitter **out,
                            bough_error *error) {
    offline_splitter *s;
    bough_status status = bough_alloc(out, 1, sizeof *s, error);
    if (status) return status;
    s = *out;
    s->tree = tree;
    s->verify = verify;
    uint32_t **const word[] = {&s->from, &s->to, &s->message, &s->mate[0], &s->mate[1], &s->rest};
    for (unsigned i = 0; i < 2; i++) TRY(bough_alloc(&s->load[i], tree->channels, sizeof *s->load[i], error));
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        TRY(bough_alloc(word[i], messages, sizeof **word[i], error));
    TRY(bough_alloc(&s->order, messages, sizeof *s->order, error));
    TRY(bough_alloc(&s->sorted, bough_mul(messages, 2), sizeof *s->sorted, error));
    TRY(bough_alloc(&s->half, messages, sizeof *s->half, error));
    if (!status) return BOUGH_OK;
    offline_destroy(s);
    *out = NULL;
    return status;
}

void offline_destroy(offline_splitter *s) {
    if (!s) return;
    FREE_ALL(s->from, s->to, s->message, s->mate[0], s->mate[1], s->rest, s->order, s->sorted, s->half,
             s->load[0], s->load[1], s);
}

/* ---- one node ---- */

/* Messages at .. end - 1 of the arrays, whose NCA is one node of a level. */
typedef struct node_messages {
    unsigned level;
    uint32_t at, end;
} node_messages;

static void add_load(offline_splitter *s, unsigned level, uint32_t i, uint32_t by) {
    for (unsigned l = 0; l < level; l++) {
        s->load[0][channel_at(s->tree, l, s->from[i])] += by;
        s->load[1][channel_at(s->tree, l, s->to[i])] += by;
    }
}

/* True if the channels can carry all of them at once. */
static bool fits(offline_splitter *s, const node_messages *n) {
    const channel_tree *t = s->tree;
    bool all = true;
    for (uint32_t i = n->at; i < n->end; i++) add_load(s, n->level, i, 1);
    for (uint32_t i = n->at; i < n->end; i++)
        for (unsigned l = 0; l < n->level && all; l++) {
            uint64_t up = channel_at(t, l, s->from[i]), down = channel_at(t, l, s->to[i]);
            all = s->load[0][up] <= t->capacity[up] && s->load[1][down] <= t->capacity[down];
        }
    for (uint32_t i = n->at; i < n->end; i++) add_load(s, n->level, i, -1u);
    return all;
}

/* Pairs messages by one end; unpaired messages of a subtree move on to the next larger one. */
static void pair_messages(offline_splitter *s, const node_messages *n, unsigned side) {
    const uint32_t *end = side ? s->to : s->from;
    uint32_t *mate = s->mate[side], count = n->end - n->at, left = count;
    for (uint32_t i = 0; i < count; i++) {
        s->order[i] = subtrees_place(&s->tree->rows, end[n->at + i]) << 32 | (n->at + i);
        mate[n->at + i] = BOUGH_NONE32;
    }
    qsort(s->order, count, sizeof *s->order, bough_compare_u64);
    for (uint32_t i = 0; i < count; i++) s->rest[i] = (uint32_t)s->order[i];
    for (unsigned l = 0; l < n->level && left > 1; l++) {
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

/* Moves half 0 to the front; returns its end. */
static uint32_t halve(offline_splitter *s, const node_messages *n) {
    pair_messages(s, n, 0);
    pair_messages(s, n, 1);
    memset(s->half + n->at, UNDECIDED, n->end - n->at);
    for (uint32_t i = n->at; i < n->end; i++) {
        if (s->half[i] != UNDECIDED) continue;
        s->half[i] = 0;
        alternate(s, i, 0);
        alternate(s, i, 1);
    }
    uint32_t low = n->at, high = n->end;
    while (low < high)
        if (s->half[low] == 0)
            low++;
        else
            swap_messages(s, low, --high);
    return low;
}

static bough_status check_halves(offline_splitter *s, const node_messages *n, uint32_t middle,
                                 bough_error *error) {
    bool even = true;
    for (uint32_t i = n->at; i < n->end; i++) add_load(s, n->level, i, i < middle ? 1 : -1u);
    for (uint32_t i = n->at; i < n->end; i++)
        for (unsigned l = 0; l < n->level; l++) {
            uint32_t up = s->load[0][channel_at(s->tree, l, s->from[i])];
            uint32_t down = s->load[1][channel_at(s->tree, l, s->to[i])];
            even = even && up + 1 <= 2 && down + 1 <= 2; /* -1, 0 or 1 */
        }
    for (uint32_t i = n->at; i < n->end; i++) add_load(s, n->level, i, i < middle ? -1u : 1);
    return even ? BOUGH_OK
                : bough_fail(error, BOUGH_FAILED, NULL,
                             "two halves of messages with NCA level %u differ by more than one on a channel",
                             n->level);
}

/* Assigns set numbers from s->sets on. */
static bough_status split_node(offline_splitter *s, const node_messages *n, bough_error *error) {
    if (fits(s, n)) {
        for (uint32_t i = n->at; i < n->end && s->cycle; i++) s->cycle[s->message[i]] = s->sets;
        s->sets++;
        return BOUGH_OK;
    }
    uint32_t middle = halve(s, n);
    bough_status status = s->verify ? check_halves(s, n, middle, error) : BOUGH_OK;
    TRY(split_node(s, &(node_messages){n->level, n->at, middle}, error));
    TRY(split_node(s, &(node_messages){n->level, middle, n->end}, error));
    return status;
}

/* ---- all nodes ---- */

/* Sorts moving messages by level and node; returns their number. */
static uint64_t sort_messages(offline_splitter *s, const bough_batch *b) {
    const subtrees *rows = &s->tree->rows;
    uint64_t moving = 0;
    for (uint64_t i = 0; i < b->count; i++) {
        uint64_t to = bough_address_node(s->tree->net, b->address[i]);
        if (s->cycle) s->cycle[i] = BOUGH_NONE32;
        if (to == b->source[i]) continue;
        unsigned level = subtrees_nca_level(rows, b->source[i], to);
        bough_range node = subtrees_around(rows, level, subtrees_place(rows, to));
        s->sorted[2 * moving] = (uint64_t)level << 32 | node.first;
        s->sorted[2 * moving++ + 1] = i;
    }
    if (moving) qsort(s->sorted, moving, 2 * sizeof *s->sorted, bough_compare_u64_pair);
    for (uint64_t i = 0; i < moving; i++) {
        uint64_t m = s->sorted[2 * i + 1];
        s->message[i] = (uint32_t)m;
        s->from[i] = b->source[m];
        s->to[i] = (uint32_t)bough_address_node(s->tree->net, b->address[m]);
    }
    return moving;
}

bough_status offline_split(offline_splitter *s, const bough_batch *batch, uint32_t *cycle, offline_result *r,
                           bough_error *error) {
    *r = (offline_result){0};
    bough_status status = BOUGH_OK;
    s->cycle = cycle;
    uint64_t moving = sort_messages(s, batch), before = 0;
    unsigned at_level = 0;
    for (uint64_t i = 0, next; i < moving && !status; i = next) {
        unsigned level = (unsigned)(s->sorted[2 * i] >> 32);
        for (next = i; next < moving && s->sorted[2 * next] == s->sorted[2 * i]; next++) {
        }
        if (level != at_level) before = r->cycles;
        at_level = level;
        s->sets = (uint32_t)before;
        status = split_node(s, &(node_messages){level, (uint32_t)i, (uint32_t)next}, error);
        if (s->sets > r->cycles) r->cycles = s->sets;
        r->level_cycles[level] = r->cycles - before;
    }
    return status;
}
