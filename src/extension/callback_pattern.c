/* Patterns by callbacks. */
#include "extension/callbacks.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "extension/owned_registry.h"
#include "traffic/patterns/batch.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

typedef struct kind {
    bough_traffic_kind kind; /* first */
    bough_pattern pattern;
    const bough_ext_pattern *given;
    bough_param *params;
    uint64_t code; /* hash of the plug-in */
} kind;

typedef struct state {
    void *own; /* of the callbacks */
    bool opened;
} state;

static void destroy(void *object) {
    kind *k = object;
    FREE_ALL(k->params, k);
}

static const bough_ext_pattern *given_of(const bough_traffic *t) {
    return ((const kind *)t->kind)->given;
}

/* Probabilities of a source sum up to 1, or to 0 if it sends nothing. Of large networks some sources are
 * looked at. */
static bough_status check_probabilities(const bough_traffic *t, bough_error *error) {
    enum { SOURCES = 64 };
    const bough_ext_pattern *given = given_of(t);
    const state *s = t->data;
    const uint64_t n = t->net->endpoints, step = n / SOURCES + 1;
    for (uint64_t e = 0; e < n && given->probability; e += step) {
        double sum = 0;
        for (uint64_t d = 0; d < n; d++)
            if (d != e) sum += given->probability(s->own, n, e, d);
        if (sum == 0 || fabs(sum - 1) < 1e-6) continue;
        return bough_fail(
            error, BOUGH_INVALID, given->name,
            "the probabilities of the destinations of endpoint %" PRIu64 " sum up to %g, not to 1", e, sum);
    }
    return BOUGH_OK;
}

static bough_status no_destination(const bough_traffic *t, uint64_t source, uint64_t to, bough_error *error) {
    return bough_fail(error, BOUGH_INVALID, given_of(t)->name,
                      "endpoint %" PRIu64 " sends to %" PRIu64 ", which does not exist; there are %" PRIu32,
                      source, to, (uint32_t)t->net->endpoints);
}

/* Of large networks some sources are looked at. */
static bough_status check_destinations(const bough_traffic *t, bough_error *error) {
    enum { SOURCES = 64 };
    const state *s = t->data;
    const uint64_t n = t->net->endpoints;
    for (uint64_t e = 0; e < n; e += n / SOURCES + 1) {
        const uint64_t to = given_of(t)->destination(s->own, n, e, 0);
        if (to >= n) return no_destination(t, e, to, error);
    }
    return BOUGH_OK;
}

static bough_status bind(bough_args *args, const bough_net *net, bough_traffic *t, bough_error *error) {
    const bough_ext_pattern *given = given_of(t);
    bough_ext_value value[BOUGH_PARAM_MAX] = {{0}};
    state *s;
    bough_status status = bough_alloc(&s, 1, sizeof *s, error);
    if (status) return status;
    t->data = s;
    s->own = given->context;
    callback_values(args, value);
    callback_begin(error);
    if (given->open)
        status = callback_end(given->name, given->open(given->context, net->endpoints, value, &s->own, error),
                              error);
    s->opened = !status;
    t->messages = net->endpoints;
    t->input_hash = ((const kind *)t->kind)->code;
    t->distinct = true;
    TRY(check_probabilities(t, error));
    TRY(check_destinations(t, error));
    return status;
}

static void close_state(bough_traffic *t) {
    const bough_ext_pattern *given = given_of(t);
    state *s = t->data;
    if (s && s->opened && given->close) given->close(s->own);
    free(s);
}

/* For streams and models, which cannot fail here, a destination that does not exist counts as none. */
static uint32_t draw(const bough_traffic *t, const void *trial, uint32_t source, uint64_t word) {
    (void)trial;
    const state *s = t->data;
    uint64_t to = given_of(t)->destination(s->own, t->net->endpoints, source, word);
    return to < t->net->endpoints ? (uint32_t)to : source;
}

static void visit(const bough_traffic *t, const void *trial, uint32_t source,
                  void (*each)(void *context, uint32_t destination, double probability), void *context) {
    const bough_ext_pattern *given = given_of(t);
    const state *s = t->data;
    if (!given->probability) {
        uint32_t to = draw(t, trial, source, 0);
        if (to != source) each(context, to, 1);
        return;
    }
    for (uint32_t d = 0; d < t->net->endpoints; d++) {
        double p = d == source ? 0 : given->probability(s->own, t->net->endpoints, source, d);
        if (p > 0) each(context, d, p);
    }
}

static bough_status open_batch(const bough_traffic *t, bough_key key, const bough_clock *clock,
                               bough_source **out, bough_error *error) {
    (void)clock;
    bough_batch b;
    uint64_t count = 0, n = t->net->endpoints;
    bough_status status = batch_alloc(n, &b, error);
    if (status) return status;
    for (uint64_t e = 0; e < n; e++) {
        const uint64_t word = bough_word(key, BOUGH_DRAW_DESTINATION, e, 0);
        const uint64_t to = given_of(t)->destination(((const state *)t->data)->own, n, e, word);
        if (to == e) continue;
        if (to >= n) {
            bough_batch_fini(&b);
            return no_destination(t, e, to, error);
        }
        b.source[count] = (uint32_t)e;
        b.address[count++] = (uint32_t)bough_endpoint_address(t->net, (uint32_t)to);
    }
    b.count = count;
    return batch_source(&b, out, error);
}

bough_status registry_add_pattern(bough_registry *registry, const bough_ext_pattern *given,
                                  bough_error *error) {
    const callback_head head = {given->size,   sizeof *given, given->name,  given->summary,
                                given->source, "pattern",     given->params};
    kind *k = NULL;
    bough_param *params;
    bough_status status = callback_params(&head, &params, error);
    TRY(registry_check_name(registry, BOUGH_LIST_TRAFFIC, given->name, error));
    if (!status && !given->destination)
        status = bough_fail(error, BOUGH_INVALID, given->name, "the descriptor needs destination");
    TRY(bough_alloc(&k, 1, sizeof *k, error));
    if (status) {
        free(params);
        return status;
    }
    k->given = given;
    k->params = params;
    k->code = registry_code(registry);
    k->pattern = (bough_pattern){.draw = draw, .visit = visit};
    k->kind = (bough_traffic_kind){.name = given->name,
                                   .summary = given->summary,
                                   .source = given->source,
                                   .params = params,
                                   .shape = BOUGH_BATCH,
                                   .random = given->random,
                                   .bind = bind,
                                   .open = open_batch,
                                   .fini = close_state,
                                   .pattern = given->random && !given->probability ? NULL : &k->pattern};
    status = registry_own(registry, (owned_object){k, destroy}, error);
    return status ? status : bough_registry_put(registry, BOUGH_LIST_TRAFFIC, k, error);
}
