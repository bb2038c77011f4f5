/* What jobs send together: bytes on the wire of schedules and of lists with sizes, else messages. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/tune/objectives/tune_model.h"
#include "traffic/patterns/batch.h"

#include <math.h>
#include <stdlib.h>

typedef struct collector {
    const tune_graph *g;
    double *demand;      /* [destination * leaves + leaf] */
    double *sent, *came; /* [hosts] */
    double weight;
} collector;

static void add(collector *w, uint32_t from, uint64_t to, double size) {
    const tune_graph *g = w->g;
    const uint32_t leaf = g->leaf_of[g->first_of[from]];
    if (from == to || leaf == BOUGH_NO_INDEX || g->leaf_of[g->first_of[to]] == BOUGH_NO_INDEX) return;
    for (uint64_t d = g->first_of[to]; d < g->first_of[to + 1]; d++)
        w->demand[d * g->leaves + leaf] += size * w->weight * tune_share(g, (uint32_t)d);
    w->sent[from] += size * w->weight;
    w->came[to] += size * w->weight;
}

static void add_sent(void *context, uint32_t from, uint32_t to, uint64_t bytes) {
    collector *w = context;
    add(w, from, to, (double)bough_physical_wire_bytes(bough_net_physical(w->g->net), bytes));
}

static void add_message(void *context, const bough_message *m) {
    collector *w = context;
    add(w, m->source, bough_address_node(w->g->net, m->address), (double)m->size);
}

static bough_status add_job(collector *w, const char *spec, uint64_t seed, bough_error *error) {
    bough_traffic *traffic = NULL;
    bough_status status = bough_traffic_create(w->g->net, spec, &traffic, error);
    if (status) return status;
    if (traffic->law || traffic->shape == BOUGH_STREAM)
        status = bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                            "--job: '%s' never ends; a job is a batch, or a schedule", spec);
    else if (traffic->each)
        traffic->each(traffic, add_sent, w);
    else
        status = batch_each(traffic, bough_key_make(seed, 0), add_message, w, error);
    bough_traffic_destroy(traffic);
    return status;
}

bough_status tune_jobs_demand(const tune_graph *g, const bough_tune_question *q, double **demand,
                              double *base, bough_error *error) {
    collector w = {.g = g};
    bough_status status =
        bough_alloc(&w.demand, bough_mul(g->destinations, g->leaves), sizeof *w.demand, error);
    TRY(bough_alloc(&w.sent, g->hosts, sizeof *w.sent, error));
    TRY(bough_alloc(&w.came, g->hosts, sizeof *w.came, error));
    for (size_t i = 0; i < q->jobs && !status; i++) {
        w.weight = q->job[i].weight;
        status = add_job(&w, q->job[i].traffic, q->seed, error);
    }
    *base = 0;
    for (uint32_t h = 0; h < g->hosts && !status; h++)
        *base = fmax(*base, fmax(w.sent[h], w.came[h]) * g->host_scale[h]);
    FREE_ALL(w.sent, w.came);
    if (status) FREE_ALL(w.demand), w.demand = NULL;
    *demand = w.demand;
    return status;
}

double tune_alltoall_base(const tune_graph *g) {
    double base = 0;
    for (uint32_t h = 0; h < g->hosts; h++) {
        const uint32_t leaf = g->leaf_of[g->first_of[h]];
        double flows = -1;
        for (uint32_t l = 0; l < g->leaves && leaf != BOUGH_NO_INDEX; l++)
            if (l == leaf || tune_choices_at(g, leaf, g->leaf_switch[l]).count) flows += g->leaf_hosts[l];
        base = fmax(base, flows * g->host_scale[h]);
    }
    return base;
}
