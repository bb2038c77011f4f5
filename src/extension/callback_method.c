/* Methods by callbacks. */
#include "extension/callbacks.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "extension/owned_registry.h"
#include "method/method.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct method {
    bough_method method; /* first */
    const bough_ext_method *given;
    bough_param *params;
    uint64_t code; /* hash of the plug-in */
} method;

struct bough_ext_trial {
    const bough_run *run;
    bough_key key;
    bough_network network;
    bough_batch batch;
    bough_rows *rows;
};

static void destroy(void *object) {
    method *m = object;
    FREE_ALL(m->params, m);
}

const bough_network *trial_network(const bough_ext_trial *trial) {
    return &trial->network;
}

bough_ext_messages trial_messages(const bough_ext_trial *t) {
    return (bough_ext_messages){t->batch.source, t->batch.address, t->batch.count};
}

bough_status trial_path(const bough_ext_trial *t, uint64_t i, bough_links *links, bough_error *error) {
    links->count = 0;
    if (!t->run->point.routing || !t->run->method->needs_deterministic)
        return bough_fail(error, BOUGH_INVALID, "path", "the descriptor of the method has no needs_paths");
    if (i >= t->batch.count)
        return bough_fail(error, BOUGH_INVALID, "path",
                          "message %" PRIu64 " does not exist; there are %" PRIu64, i, t->batch.count);
    const bough_net *net = t->run->point.net;
    const bough_flow flow = {t->batch.source[i], bough_endpoint_address(net, t->batch.address[i]), i};
    int room = links->room < INT32_MAX ? (int)links->room : INT32_MAX;
    int length = bough_path(t->run->point.routing, &flow, links->link, room);
    if (length == -1)
        return bough_fail(error, BOUGH_TOO_LARGE, "path", "the path has more than %d links", room);
    links->count = (size_t)length;
    return BOUGH_OK;
}

uint64_t trial_word(const bough_ext_trial *t, uint64_t i) {
    return bough_word(t->key, BOUGH_DRAW_EXTENSION, i % BOUGH_ENTITY_MAX, 0);
}

bough_status trial_row(bough_ext_trial *t, const char *name, int64_t index, double value,
                       bough_error *error) {
    bough_metric_id metric = name ? bough_metric_find(name) : BOUGH_METRIC_COUNT;
    if (metric == BOUGH_METRIC_COUNT)
        return bough_fail(error, BOUGH_INVALID, t->run->method->name,
                          "no metric '%.64s'; see `bough list metrics`", name ? name : "");
    if (isnan(value))
        return bough_fail(error, BOUGH_INVALID, t->run->method->name,
                          "gives %s as a number that is none (nan)", name);
    return bough_rows_add(t->rows, metric, index == -1 ? BOUGH_NO_ROW_INDEX : index, value, error);
}

int trial_stopped(const bough_ext_trial *t) {
    return bough_run_stopped(t->run);
}

/* Addresses become endpoints. */
static bough_status read_messages(bough_ext_trial *t, bough_error *error) {
    const bough_point *p = &t->run->point;
    bough_status status = bough_batch_read(p->traffic, t->key, &t->batch, error);
    for (uint64_t i = 0; i < t->batch.count && !status; i++)
        t->batch.address[i] = (uint32_t)bough_address_node(p->net, t->batch.address[i]);
    return status;
}

static int by_metric(const void *a, const void *b) {
    const bough_row *x = a, *y = b;
    if (x->metric != y->metric) return x->metric < y->metric ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* A metric and index may stand once in a trial. */
static bough_status check_rows(const char *name, const bough_rows *rows, bough_error *error) {
    bough_row *sorted;
    bough_status status = bough_alloc(&sorted, rows->count, sizeof *sorted, error);
    if (status) return status;
    if (rows->count) memcpy(sorted, rows->row, rows->count * sizeof *sorted);
    qsort(sorted, rows->count, sizeof *sorted, by_metric);
    for (size_t i = 1; i < rows->count && !status; i++)
        if (by_metric(&sorted[i - 1], &sorted[i]) == 0)
            status = bough_fail(error, BOUGH_FAILED, name, "gives %s twice in a trial",
                                bough_metrics[sorted[i].metric].name);
    free(sorted);
    return status;
}

static bough_status trial(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                          bough_error *error) {
    const bough_ext_method *given = ((const method *)run->method)->given;
    bough_ext_value value[BOUGH_PARAM_MAX] = {{0}};
    bough_ext_trial t = {.run = run, .key = key, .rows = rows};
    bough_status status = BOUGH_OK;
    (void)workspace;
    t.network.handle.word = HANDLE_ALIVE;
    t.network.net = run->point.net;
    callback_values(&run->args, value);
    if (given->needs_messages) status = read_messages(&t, error);
    if (!status) callback_begin(error);
    TRY(callback_end(given->name, given->trial(given->context, value, &t, error), error));
    TRY(check_rows(given->name, rows, error));
    bough_batch_fini(&t.batch);
    return status;
}

static bough_status open_run(bough_run *run, bough_error *error) {
    const bough_ext_method *given = ((const method *)run->method)->given;
    (void)error;
    run->draws = given->draws;
    run->input_hash = ((const method *)run->method)->code;
    run->bytes = given->needs_messages ? bough_mul(run->point.traffic->messages, 8) : 0;
    return BOUGH_OK;
}

static bough_status find_headline(const bough_ext_method *given, bough_metric_id *metric,
                                  bough_error *error) {
    *metric = given->headline ? bough_metric_find(given->headline) : BOUGH_METRIC_COUNT;
    if (*metric < BOUGH_METRIC_COUNT) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, given->name,
                      "headline '%.64s' is no metric; see `bough list metrics`",
                      given->headline ? given->headline : "");
}

bough_status registry_add_method(bough_registry *registry, const bough_ext_method *given,
                                 bough_error *error) {
    const callback_head head = {given->size,   sizeof *given, given->name,  given->summary,
                                given->source, "method",      given->params};
    method *m = NULL;
    bough_param *params;
    bough_metric_id headline = BOUGH_METRIC_COUNT;
    bough_status status = callback_params(&head, &params, error);
    TRY(registry_check_name(registry, BOUGH_LIST_METHODS, given->name, error));
    TRY(find_headline(given, &headline, error));
    if (!status && !given->trial)
        status = bough_fail(error, BOUGH_INVALID, given->name, "the descriptor needs trial");
    TRY(bough_alloc(&m, 1, sizeof *m, error));
    if (status) {
        free(params);
        return status;
    }
    m->given = given;
    m->params = params;
    m->code = registry_code(registry);
    m->method = (bough_method){.name = given->name,
                               .summary = given->summary,
                               .source = given->source,
                               .params = params,
                               .headline = headline,
                               .needs_traffic = given->needs_messages ? 1u << BOUGH_BATCH : 0,
                               .needs_routing = given->needs_paths,
                               .needs_deterministic = given->needs_paths,
                               .takes_lost = true,
                               .exact = true,
                               .open = open_run,
                               .trial = trial};
    status = registry_own(registry, (owned_object){m, destroy}, error);
    return status ? status : bough_registry_put(registry, BOUGH_LIST_METHODS, m, error);
}
