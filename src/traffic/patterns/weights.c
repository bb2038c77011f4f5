/* weights:FILE: messages between random pairs, each as probable as its weight. In a stream a source sends in
 * proportion to the sum of its row. */
#include "traffic/patterns/weights.h"

#include "base/memory/memory.h"
#include "base/random/alias_table.h"
#include "base/status/try.h"
#include "base/text/scanner.h"
#include "base/text/text.h"
#include "formats/lists/pair_weights.h"
#include "network/hosts.h"
#include "traffic/endpoint_names.h"
#include "traffic/patterns/batch.h"

#include <inttypes.h>
#include <stdlib.h>

enum { P_FILE, P_M };

static const bough_param params[] = {
    [P_FILE] =
        {"file",
         "N lines of N numbers: line i has what endpoint i sends to each, in any unit; or CSV with the "
         "columns source, destination, weight",
         BOUGH_TEXT, NULL, 0, 0, .echo = true},
    [P_M] = {"m", "messages; default: as many as endpoints", BOUGH_INT, "", 1, 0x1p32},
    BOUGH_PARAMS_END,
};

/* Pairs by source, then destination. */
typedef struct weights {
    uint64_t *first; /* [endpoints + 1] */
    uint32_t *to;
    double *share;        /* of the source's messages */
    alias_column *column; /* of the rows */
    double *rate;         /* [endpoints]: of the mean over those that send */
    alias_column *sender; /* [endpoints] */
    uint64_t pairs;
} weights;

static void weights_fini(bough_traffic *t) {
    weights *w = t->data;
    if (w) FREE_ALL(w->first, w->to, w->share, w->column, w->rate, w->sender, w);
}

/* ---- binding ---- */

/* Sets the endpoints of the nodes of a file. */
static bough_status find_endpoints(const pair_weights *file, const char *path, const bough_net *net,
                                   uint64_t *endpoint, bough_error *error) {
    endpoints all = {.net = net};
    bough_status status = BOUGH_OK;
    if (!file->name && file->nodes > bough_net_hosts(net))
        return bough_fail(error, BOUGH_INVALID, path,
                          "the matrix has %" PRIu32 " line%s, but %s has %" PRIu64 " endpoint%s", file->nodes,
                          bough_s(file->nodes), net->spec, bough_net_hosts(net),
                          bough_s(bough_net_hosts(net)));
    const bool hosts = file->nodes <= net_numbers(net); /* else it numbers ports */
    for (uint32_t i = 0; i < file->nodes && !status; i++) {
        if (!file->name) {
            endpoint[i] = hosts ? net_numbered(net, i) : i;
            continue;
        }
        status = endpoints_find(&all, file->name[i], "node", &endpoint[i], error);
        status = scan_at(&(scanner){.file = path, .line = file->line[i], .error = error}, status);
    }
    endpoints_fini(&all);
    return status;
}

typedef struct placed_pair {
    uint32_t source, destination;
    double weight;
} placed_pair;

static int by_pair(const void *a, const void *b) {
    const placed_pair *x = a, *y = b;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    return (x->destination > y->destination) - (x->destination < y->destination);
}

/* Sorts pairs and adds up those that occur again. Returns their number. */
static uint64_t join_pairs(placed_pair *pair, uint64_t count) {
    uint64_t kept = 0;
    if (count) qsort(pair, count, sizeof *pair, by_pair);
    for (uint64_t i = 0; i < count; i++) {
        if (kept && by_pair(&pair[kept - 1], &pair[i]) == 0)
            pair[kept - 1].weight += pair[i].weight;
        else
            pair[kept++] = pair[i];
    }
    return kept;
}

/* Divides the weights of a row by their sum, which becomes the rate of its source. */
static bough_status fill_row(weights *w, uint32_t source, bough_error *error) {
    const uint64_t first = w->first[source], count = w->first[source + 1] - first;
    double sum = 0;
    if (count == 0) return BOUGH_OK;
    for (uint64_t i = 0; i < count; i++) sum += w->share[first + i];
    for (uint64_t i = 0; i < count; i++) w->share[first + i] /= sum;
    w->rate[source] = sum;
    return alias_fill(&w->share[first], (uint32_t)count, &w->column[first], error);
}

static void fill_rates(weights *w, uint64_t n) {
    double sum = 0;
    uint64_t senders = 0;
    for (uint64_t e = 0; e < n; e++) sum += w->rate[e], senders += w->rate[e] > 0;
    for (uint64_t e = 0; e < n; e++) w->rate[e] *= (double)senders / sum;
}

static bough_status fill(weights *w, const placed_pair *pair, uint64_t n, bough_error *error) {
    double most = 0;
    const bough_array want[] = {
        {&w->first, n + 1, sizeof *w->first},    {&w->to, w->pairs, sizeof *w->to},
        {&w->share, w->pairs, sizeof *w->share}, {&w->column, w->pairs, sizeof *w->column},
        {&w->rate, n, sizeof *w->rate},          {&w->sender, n, sizeof *w->sender},
    };
    bough_status status = bough_alloc_all(want, sizeof want / sizeof *want, error);
    if (status) return status;
    for (uint64_t i = 0; i < w->pairs; i++) most = pair[i].weight > most ? pair[i].weight : most;
    for (uint64_t i = 0; i < w->pairs; i++) {
        w->first[pair[i].source + 1]++;
        w->to[i] = pair[i].destination;
        w->share[i] = pair[i].weight / most; /* so that sums do not overflow */
    }
    for (uint64_t e = 0; e < n; e++) w->first[e + 1] += w->first[e];
    for (uint64_t e = 0; e < n && !status; e++) status = fill_row(w, (uint32_t)e, error);
    if (status) return status;
    fill_rates(w, n);
    return alias_fill(w->rate, (uint32_t)n, w->sender, error);
}

/* Sorts the pairs of distinct endpoints, and makes the columns. */
static bough_status take_pairs(placed_pair *pair, uint64_t count, bough_traffic *t, bough_error *error) {
    weights *w = t->data;
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++)
        if (pair[i].source != pair[i].destination && pair[i].weight > 0) pair[kept++] = pair[i];
    if (kept == 0)
        return bough_fail(error, BOUGH_INVALID, t->kind->name, "no weight is of a pair of two endpoints");
    w->pairs = join_pairs(pair, kept);
    return fill(w, pair, t->net->endpoints, error);
}

static bough_status place_pairs(const pair_weights *file, const char *path, bough_traffic *t,
                                bough_error *error) {
    uint64_t *endpoint = NULL;
    placed_pair *pair = NULL;
    bough_status status = bough_alloc(&endpoint, file->nodes, sizeof *endpoint, error);
    TRY(bough_alloc(&pair, file->pairs, sizeof *pair, error));
    TRY(find_endpoints(file, path, t->net, endpoint, error));
    for (size_t i = 0; i < file->pairs && !status; i++) {
        const pair_weight *p = &file->pair[i];
        pair[i] = (placed_pair){(uint32_t)endpoint[p->source], (uint32_t)endpoint[p->destination], p->weight};
    }
    TRY(take_pairs(pair, file->pairs, t, error));
    FREE_ALL(endpoint, pair);
    return status;
}

static bough_status bind_messages(bough_args *args, bough_traffic *t, bough_error *error) {
    const weights *w = t->data;
    const uint64_t n = t->net->endpoints, pair = sizeof *w->to + sizeof *w->share + sizeof *w->column;
    t->bytes = bough_add(bough_mul(w->pairs, pair), bough_mul(n, 32));
    if (t->of_stream) return refuse_m(args, t, error);
    if (!bough_args_get(args, "m")->set) bough_args_set_int(args, "m", (int64_t)n);
    t->messages = (uint64_t)bough_args_get(args, "m")->integer;
    return BOUGH_OK;
}

bough_status weights_take(const weighted_pairs *given, bough_args *args, bough_traffic *t,
                          bough_error *error) {
    placed_pair *pair = NULL;
    weights *w;
    bough_status status = bough_alloc(&w, 1, sizeof *w, error);
    if (status) return status;
    t->data = w;
    status = bough_alloc(&pair, given->count, sizeof *pair, error);
    for (size_t i = 0; i < given->count && !status; i++) {
        status = endpoint_pair_check(t, i, given->source[i], given->destination[i], error);
        pair[i] =
            (placed_pair){(uint32_t)given->source[i], (uint32_t)given->destination[i], given->weight[i]};
    }
    TRY(take_pairs(pair, given->count, t, error));
    TRY(bind_messages(args, t, error));
    free(pair);
    return status;
}

static bough_status weights_bind(bough_args *args, const bough_net *net, bough_traffic *t,
                                 bough_error *error) {
    const char *path = args->value[P_FILE].text;
    bough_input input;
    pair_weights file = {0};
    weights *w;
    (void)net;
    bough_status status = bough_alloc(&w, 1, sizeof *w, error);
    if (status) return status;
    t->data = w;
    status = bough_input_read(path, &input, error);
    if (status) return status;
    t->input_hash = input.hash;
    status = pair_weights_read(&input, &file, error);
    bough_input_fini(&input);
    TRY(place_pairs(&file, path, t, error));
    TRY(bind_messages(args, t, error));
    arena_fini(&file.memory);
    return status;
}

/* ---- drawing ---- */

static uint32_t draw_destination(const bough_traffic *t, const void *state, uint32_t source, uint64_t word) {
    const weights *w = t->data;
    const uint64_t first = w->first[source], count = w->first[source + 1] - first;
    (void)state;
    return count ? w->to[first + alias_draw(&w->column[first], (uint32_t)count, word)] : source;
}

static void visit(const bough_traffic *t, const void *state, uint32_t source,
                  void (*each)(void *context, uint32_t destination, double probability), void *context) {
    const weights *w = t->data;
    (void)state;
    for (uint64_t i = w->first[source]; i < w->first[source + 1]; i++) each(context, w->to[i], w->share[i]);
}

static double rate_of(const bough_traffic *t, uint32_t source) {
    return ((const weights *)t->data)->rate[source];
}

static uint32_t draw_sender(const bough_traffic *t, uint64_t word) {
    return alias_draw(((const weights *)t->data)->sender, (uint32_t)t->net->endpoints, word);
}

static bough_status weights_open(const bough_traffic *t, bough_key key, const bough_clock *clock,
                                 bough_source **out, bough_error *error) {
    (void)clock;
    bough_batch b;
    bough_status status = batch_alloc(t->messages, &b, error);
    if (status) return status;
    for (uint64_t i = 0; i < b.count; i++) {
        b.source[i] = draw_sender(t, bough_word(key, BOUGH_DRAW_SOURCES, i, 0));
        const uint64_t word = bough_word(key, BOUGH_DRAW_DESTINATION, i, 0);
        b.address[i] = (uint32_t)bough_endpoint_address(t->net, draw_destination(t, NULL, b.source[i], word));
    }
    return batch_source(&b, out, error);
}

static const bough_pattern pattern = {
    .draw = draw_destination, .visit = visit, .rate = rate_of, .sender = draw_sender};

const bough_traffic_kind bough_traffic_weights = {
    .name = "weights",
    .summary = "random pairs, as probable as the weights in a matrix or list",
    .source = "",
    .params = params,
    .shape = BOUGH_BATCH,
    .random = true,
    .bind = weights_bind,
    .open = weights_open,
    .fini = weights_fini,
    .pattern = &pattern,
};
