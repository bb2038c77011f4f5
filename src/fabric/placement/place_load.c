#include "fabric/placement/place_load.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "loads/flow_spread.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Times of links that differ by less are equal. */
#define EQUAL 1e-9

bough_status place_job_make(const bough_check_question *question, const char *spec, uint64_t ranks,
                            place_job *job, bough_error *error) {
    char crossbar[64];
    *job = (place_job){.ranks = ranks};
    if (!spec) return BOUGH_OK;
    snprintf(crossbar, sizeof crossbar, "xgft:down=%" PRIu64 ",up=1", ranks);
    bough_status status = bough_net_open(crossbar, question->registry, &job->crossbar, error);
    TRY(bough_traffic_create(job->crossbar, spec, &job->traffic, error));
    if (status) return status;
    job->bytes = job->traffic->shape == BOUGH_SCHEDULE;
    if (!job->bytes)
        status = bough_batch_read(job->traffic, bough_key_make(question->seed, 0), &job->batch, error);
    return status;
}

void place_job_fini(place_job *job) {
    bough_batch_fini(&job->batch);
    bough_traffic_destroy(job->traffic);
    bough_net_destroy(job->crossbar);
    *job = (place_job){.ranks = 0};
}

bough_status place_loads_make(const bough_routing *routing, uint64_t seed, const char *what, place_loads *l,
                              bough_error *error) {
    *l = (place_loads){.routing = routing, .seed = seed};
    bough_status status = spread_check(routing, what, error);
    TRY(link_sums_make(&l->sums, routing->net->links, error));
    return status;
}

void place_loads_fini(place_loads *l) {
    link_sums_fini(&l->sums);
    *l = (place_loads){.routing = NULL};
}

/* One evaluation. */
typedef struct adding {
    place_loads *loads;
    const uint32_t *endpoint;
    double size;
    uint64_t number;
    place_result *result;
} adding;

static void add_share(void *context, uint64_t link, double share) {
    const adding *a = context;
    link_sums_add(&a->loads->sums, link, share * a->size);
    a->loads->steps++;
}

static void add_message(void *context, uint32_t from, uint32_t to, uint64_t bytes) {
    adding *a = context;
    const bough_routing *routing = a->loads->routing;
    const bough_flow flow = {a->endpoint[from], bough_endpoint_address(routing->net, a->endpoint[to]),
                             a->number++};
    if (from == to || bytes == 0) return;
    a->size = (double)bytes;
    a->result->lost += 1 - spread_message(routing, bough_key_make(a->loads->seed, 0), &flow, add_share, a);
}

static void add_all(adding *a, const place_job *job) {
    if (job->traffic && job->bytes) {
        job->traffic->each(job->traffic, add_message, a);
        return;
    }
    for (uint64_t i = 0; i < job->batch.count; i++)
        add_message(a, job->batch.source[i], job->batch.address[i], 1);
    for (uint64_t i = 0; i < job->ranks && !job->traffic; i++)
        for (uint64_t k = 0; k < job->ranks; k++) add_message(a, (uint32_t)i, (uint32_t)k, 1);
}

static void find_limit(const place_loads *l, place_result *result) {
    const bough_net *net = l->routing->net;
    double most = 0, hosts = 0;
    for (uint64_t i = 0; i < l->sums.count; i++) {
        const uint64_t link = l->sums.link[i];
        const double time = l->sums.load[link] / (double)bough_net_link_rate(net, link);
        if (bough_link_of_endpoint(net, link) && time > hosts) hosts = time;
        if (time > most * (1 + EQUAL)) {
            most = time;
            result->link = link;
            result->load = l->sums.load[link];
            result->limits = 0;
        }
        result->limits += time >= most * (1 - EQUAL);
    }
    result->time = most;
    if (hosts > 0) result->ratio = most / hosts;
}

void place_loads_add(place_loads *l, const place_job *job, const uint32_t *endpoint, place_result *result) {
    *result = (place_result){.link = BOUGH_NONE, .ratio = 1};
    adding a = {.loads = l, .endpoint = endpoint, .result = result};
    add_all(&a, job);
}

void place_loads_of(place_loads *l, const place_job *job, const uint32_t *endpoint, place_result *result) {
    place_loads_add(l, job, endpoint, result);
    find_limit(l, result);
    link_sums_clear(&l->sums);
}
