/* Local traffic (dehon1991, section 6.2). Every endpoint, or every wire of it, has a request with probability
 * p. The level of the nearest common ancestor (NCA) with its destination is drawn from given probabilities,
 * and the destination uniformly among the endpoints with that NCA level.
 *
 * The probabilities are those of Tables 5 to 7 of the paper. Within a unit tree all levels have equal
 * probability. Of the requests that reach a stage the fraction P_up continues to the next; 3/4 of all
 * requests stay in a leaf cluster. In networks without such parts three levels count as a unit tree.
 *
 * A request takes one block of random bits: 32 for whether it exists (so requests at a smaller p are a
 * subset), 32 for the level, 64 for the destination. */
#include "base/status/try.h"
#include "traffic/patterns/batch.h"

#include "base/memory/memory.h"
#include "network/subtrees.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { P_P, P_INJECT, P_COLUMNS, P_UP, P_LEAF, P_WEIGHTS };
enum { PER_PROCESSOR, PER_LINE };
enum { CONSISTENT, PRINTED, UNIFORM, GIVEN };

static const bough_param params[] = {
    [P_P] = {"p", "probability of a request", BOUGH_SHARE, "1", .echo = true},
    [P_INJECT] = {"inject", "proc: at most one request per endpoint, on any of its wires; line: one per wire",
                  BOUGH_CHOICE, "proc", .choices = "proc|line"},
    [P_COLUMNS] = {"columns",
                   "probabilities of the levels: consistent (from up= and leaf=), printed (Tables 5 to 7 as "
                   "printed), uniform (all destinations equally), given (weights=)",
                   BOUGH_CHOICE, "consistent", .choices = "consistent|printed|uniform|given"},
    [P_UP] = {"up",
              "consistent: fraction of the requests reaching a stage that continue to the next; default: "
              "0.166 with two stages, 0.178 with more",
              BOUGH_SHARE, ""},
    [P_LEAF] = {"leaf", "consistent: fraction that stays in a leaf cluster, if there are any; default 0.75",
                BOUGH_SHARE, ""},
    [P_WEIGHTS] = {"weights", "given: weights of levels 1, 2, ..., as in 6x3x1", BOUGH_LIST, "", 0, 1e9},
    BOUGH_PARAMS_END,
};

typedef struct local {
    subtrees tree;
    bough_batch_law law;
    double share[SUBTREES_LEVELS + 1];
    /* Words below until[level], and not below that of the previous level, select a level. */
    uint64_t until[SUBTREES_LEVELS + 1];
} local;

/* ---- probabilities of the levels ---- */

static unsigned stage_of(const bough_net *net, unsigned level) {
    return net->ops->level_stage ? net->ops->level_stage(net, level) : (level + 2) / 3;
}

static unsigned levels_of_stage(const bough_net *net, unsigned stage) {
    unsigned count = 0;
    for (unsigned level = 1; level <= net->levels; level++) count += stage_of(net, level) == stage;
    return count;
}

static void consistent_shares(const bough_args *args, const bough_net *net, local *l) {
    unsigned stages = stage_of(net, net->levels);
    double up = args->value[P_UP].set ? args->value[P_UP].real : stages > 2 ? 0.178 : 0.166;
    double leaf = args->value[P_LEAF].set ? args->value[P_LEAF].real : 0.75, left = 1;
    unsigned first = stage_of(net, 1);
    for (unsigned stage = first; stage <= stages; stage++) {
        double goes_on = stage == stages ? 0 : stage == 0 ? 1 - leaf : up;
        double each = left * (1 - goes_on) / levels_of_stage(net, stage);
        for (unsigned level = 1; level <= net->levels; level++)
            if (stage_of(net, level) == stage) l->share[level] = each;
        left *= goes_on;
    }
}

/* Tables 5, 6 and 7: P_any(n). */
static const struct {
    unsigned leaf, stages; /* levels of a leaf cluster; stages of unit trees */
    double share[9];
} printed[] = {
    {0, 1, {0.333, 0.333, 0.333}},
    {0, 2, {0.278, 0.278, 0.278, 5.53e-2, 5.53e-2, 5.53e-2}},
    {0, 3, {0.274, 0.274, 0.274, 3.17e-2, 3.17e-2, 3.17e-2, 1.06e-2, 1.06e-2, 1.06e-2}},
    {1, 1, {0.75, 8.33e-2, 8.33e-2, 8.33e-2}},
    {1, 2, {0.75, 6.95e-2, 6.95e-2, 6.95e-2, 6.95e-2, 6.95e-2, 6.95e-2}},
};

static bough_status printed_shares(const bough_net *net, local *l, bough_error *error) {
    unsigned leaf = levels_of_stage(net, 0), stages = stage_of(net, net->levels);
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
        if (printed[i].leaf != leaf || printed[i].stages != stages || net->levels != leaf + 3 * stages)
            continue;
        for (unsigned level = 1; level <= net->levels; level++) l->share[level] = printed[i].share[level - 1];
        return BOUGH_OK;
    }
    return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                      "local: the paper has no column for %s, only for full trees of one to three stages of "
                      "three levels and for hybrids of one or two; columns=consistent supports any",
                      net->spec);
}

static bough_status given_shares(const bough_args *args, const bough_net *net, local *l, bough_error *error) {
    const bough_value *w = &args->value[P_WEIGHTS];
    if (!w->set || w->count != net->levels)
        return bough_fail(
            error, BOUGH_INVALID, NULL,
            "local: columns=given requires weights= for the %u levels of %s, as in 6x3x1; %u are given",
            net->levels, net->spec, w->set ? w->count : 0);
    double sum = 0;
    for (unsigned i = 0; i < w->count; i++) sum += (double)w->list[i];
    if (sum == 0) return bough_fail(error, BOUGH_INVALID, NULL, "local: all weights are 0");
    for (unsigned level = 1; level <= net->levels; level++)
        l->share[level] = (double)w->list[level - 1] / sum;
    return BOUGH_OK;
}

static bough_status check_keys(const bough_args *args, bough_error *error) {
    static const struct {
        int key, columns;
        const char *text;
    } belongs[] = {
        {P_UP, CONSISTENT, "consistent"}, {P_LEAF, CONSISTENT, "consistent"}, {P_WEIGHTS, GIVEN, "given"}};
    for (size_t i = 0; i < sizeof belongs / sizeof *belongs; i++)
        if (args->value[belongs[i].key].given && args->value[P_COLUMNS].integer != belongs[i].columns)
            return bough_fail(error, BOUGH_INVALID, NULL, "local: %s= requires columns=%s",
                              params[belongs[i].key].key, belongs[i].text);
    return BOUGH_OK;
}

/* Every endpoint needs a destination at each level with a nonzero probability. */
static bough_status check_met(const local *l, bough_error *error) {
    const bough_net *net = l->tree.net;
    char name[96];
    for (uint64_t level = 1; level <= net->levels; level++)
        for (uint64_t e = 0; e < net->endpoints && l->share[level] > 0; e++) {
            if (!l->tree.endpoint && e) break; /* regular: all endpoints are alike */
            if (subtrees_nca_count(&l->tree, (unsigned)level, subtrees_place(&l->tree, e))) continue;
            return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                              "local: %s of %s has no destination at level %" PRIu64
                              ", which takes %.3g of its requests; columns=uniform or given support any tree",
                              bough_node_name(net, e, name, sizeof name), net->spec, level, l->share[level]);
        }
    return BOUGH_OK;
}

/* Converts probabilities to 32-bit words; the last level with a nonzero probability takes the rounding
 * error. */
static void set_words(local *l) {
    double sum = 0, below = 0;
    unsigned last = 0;
    for (unsigned level = 1; level <= l->law.levels; level++) {
        sum += l->share[level];
        if (l->share[level] > 0) last = level;
    }
    l->law.total = sum;
    for (unsigned level = 1; level <= l->law.levels; level++) {
        l->share[level] /= sum;
        below += l->share[level];
        l->until[level] = level >= last ? UINT64_C(1) << 32 : (uint64_t)(below * 0x1p32);
    }
}

static bough_status local_bind(bough_args *args, const bough_net *net, bough_traffic *t, bough_error *error) {
    local *l;
    if (!(net->capabilities & BOUGH_HAS_CHANNELS) || net->endpoints < 2)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "local requires a tree of at least two endpoints, with subtrees; %s is not one",
                          net->spec);
    /* the canonical spec of a stream states the default p=1 */
    if (t->of_stream && (args->value[P_P].real != 1 || args->value[P_INJECT].given))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "pattern local: p and inject apply to batches, and a stream has a rate; omit them");
    bough_status status = check_keys(args, error);
    TRY(bough_alloc(&l, 1, sizeof *l, error));
    if (status) return status;
    t->data = l;
    status = subtrees_make(net, &l->tree, error);
    if (status) return status;
    int columns = (int)args->value[P_COLUMNS].integer;
    uint64_t wires = net->ops->group_links(net, net->ops->node_group(net, 0, 0)).count;
    l->law = (bough_batch_law){.p = args->value[P_P].real, .draws = 1, .levels = net->levels};
    if (args->value[P_INJECT].integer == PER_LINE) l->law.draws = (uint32_t)wires;
    if (columns == CONSISTENT) consistent_shares(args, net, l);
    if (columns == PRINTED) status = printed_shares(net, l, error);
    if (columns == GIVEN) status = given_shares(args, net, l, error);
    if (columns != UNIFORM && !status) {
        status = check_met(l, error);
        l->law.share = l->share;
        set_words(l);
    }
    t->messages = bough_mul(net->endpoints, l->law.draws);
    t->distinct = l->law.draws == 1;
    t->batch_law = &l->law;
    if (!status && t->messages >= UINT32_MAX)
        return bough_fail(error, BOUGH_TOO_LARGE, NULL, "local: %s has more than 2^32 wires at endpoints",
                          net->spec);
    return status;
}

static void local_fini(bough_traffic *t) {
    local *l = t->data;
    if (l) subtrees_fini(&l->tree);
    free(l);
}

/* ---- requests ---- */

static uint32_t destination(const local *l, uint32_t source, uint32_t level_word, uint64_t word) {
    const bough_net *net = l->tree.net;
    if (!l->law.share) {
        uint32_t d = (uint32_t)bough_scale(word, net->endpoints - 1);
        return d + (d >= source);
    }
    unsigned level = 1;
    while (level_word >= l->until[level]) level++;
    uint64_t place = subtrees_place(&l->tree, source), met = subtrees_nca_count(&l->tree, level, place);
    return (uint32_t)subtrees_nca_endpoint(&l->tree, level, place, bough_scale(word, met));
}

/* Those of a range of requests that exist are messages. */
static void draw_requests(const bough_traffic *t, bough_key key, bough_range requests, bough_batch *b) {
    enum { SOME = 64 };
    const uint64_t end = requests.first + requests.count;
    const local *l = t->data;
    uint64_t block[SOME], low[SOME], high[SOME], draws = l->law.draws;
    uint64_t below = (uint64_t)llround(l->law.p * 0x1p32);
    b->count = 0;
    for (uint64_t first = requests.first; first < end; first += SOME) {
        uint64_t some = end - first < SOME ? end - first : SOME;
        for (uint64_t k = 0; k < some; k++) block[k] = first + k;
        bough_blocks(&(bough_draw){key, BOUGH_DRAW_LOCAL, 0}, block, some, low, high);
        for (uint64_t k = 0; k < some; k++) {
            if ((uint32_t)low[k] >= below) continue;
            uint32_t from = (uint32_t)((first + k) / draws);
            b->source[b->count] = from;
            uint32_t to = destination(l, from, (uint32_t)(low[k] >> 32), high[k]);
            b->address[b->count++] = (uint32_t)bough_endpoint_address(t->net, to);
        }
    }
}

static bough_status local_open(const bough_traffic *t, bough_key key, const bough_clock *clock,
                               bough_source **out, bough_error *error) {
    (void)clock;
    bough_batch b;
    bough_status status = batch_alloc(t->messages, &b, error);
    if (status) return status;
    draw_requests(t, key, (bough_range){0, t->messages}, &b);
    return batch_source(&b, out, error);
}

/* An endpoint has one request. */
static bough_status local_part(const bough_traffic *t, bough_key key, bough_sources part, bough_batch *b,
                               bough_error *error) {
    bough_status status = batch_alloc(part.count, b, error);
    if (!status) draw_requests(t, key, (bough_range){part.first, part.count}, b);
    return status;
}

/* ---- the pattern of a stream ---- */

static uint32_t draw_local(const bough_traffic *t, const void *state, uint32_t source, uint64_t word) {
    (void)state;
    return destination(t->data, source, (uint32_t)(word >> 32), t->batch_law->share ? word << 32 : word);
}

static void visit_local(const bough_traffic *t, const void *state, uint32_t source,
                        void (*each)(void *context, uint32_t destination, double probability),
                        void *context) {
    const local *l = t->data;
    double same = 1.0 / (double)(t->net->endpoints - 1);
    (void)state;
    for (uint64_t d = 0; d < t->net->endpoints; d++) {
        if (d == source) continue;
        unsigned level = l->law.share ? subtrees_nca_level(&l->tree, source, d) : 0;
        uint64_t place = subtrees_place(&l->tree, source);
        double probability =
            level ? l->share[level] / (double)subtrees_nca_count(&l->tree, level, place) : same;
        if (probability > 0) each(context, (uint32_t)d, probability);
    }
}

static const bough_pattern local_pattern = {.draw = draw_local, .visit = visit_local};

const bough_traffic_kind bough_traffic_local = {
    .name = "local",
    .summary = "random requests, distributed over the levels of a tree by given fractions and uniform within "
               "a level",
    .source = "dehon1991, section 6.2, Tables 4 to 7",
    .params = params,
    .shape = BOUGH_BATCH,
    .random = true,
    .bind = local_bind,
    .open = local_open,
    .fini = local_fini,
    .pattern = &local_pattern,
    .part = local_part,
};
