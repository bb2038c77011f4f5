#include "models/link_load/link_loads.h"

#include "base/memory/memory.h"
#include "base/status/stop.h"
#include "base/status/try.h"
#include "loads/alltoall_load.h"
#include "loads/flow_spread.h"
#include "traffic/patterns/batch.h"

#include <string.h>

typedef struct collector {
    const link_loads_question *q;
    link_loads *loads;
    double flow, size; /* of the current message: 1, or 0; on the wire */
} collector;

static void add_share(void *context, uint64_t link, double share) {
    const collector *c = context;
    if (c->loads->flows) c->loads->flows[link] += share * c->flow;
    if (c->loads->bytes) c->loads->bytes[link] += share * c->size;
}

static double follow(collector *c, const bough_flow *flow, double flows, double size) {
    c->flow = flows;
    c->size = size;
    return spread_message(c->q->routing, c->q->key, flow, add_share, c);
}

/* Where only messages that arrive count, a first walk that adds nothing says whether this one does. */
static void add_flow(collector *c, const bough_flow *flow, uint64_t data) {
    const double size = (double)bough_physical_wire_bytes(bough_net_physical(c->q->routing->net), data);
    const bool tries = c->loads->arriving;
    const double arrives = follow(c, flow, !tries, tries ? 0 : size);
    c->loads->lost += 1 - arrives;
    c->loads->messages++;
    if (tries && arrives == 1) follow(c, flow, 1, size);
}

static void add_sent(void *context, uint32_t from, uint32_t to, uint64_t bytes) {
    collector *c = context;
    uint64_t unit = c->q->unit, data = bough_mul(bytes / unit + (bytes % unit != 0), unit);
    bough_flow flow = {from, bough_endpoint_address(c->q->routing->net, to), c->loads->messages};
    add_flow(c, &flow, data);
}

static void add_message(void *context, const bough_message *m) {
    collector *c = context;
    const bough_flow flow = {m->source, m->address, m->id};
    add_flow(c, &flow, bough_mul(m->size, c->q->unit));
}

/* The messages of a source, each by its probability. */
typedef struct expectation {
    collector c;
    uint32_t source;
    double rate; /* of the source, of the mean */
} expectation;

static void add_expected(void *context, uint32_t destination, double probability) {
    expectation *x = context;
    collector *c = &x->c;
    link_loads *loads = c->loads;
    const bough_flow flow = {x->source, bough_endpoint_address(c->q->routing->net, destination),
                             loads->messages++};
    const double messages = probability * x->rate, arrives = follow(c, &flow, messages, 0);
    loads->lost += messages * (1 - arrives);
}

/* What links carry when every endpoint of a stream that sends has sent one message, in the mean. */
static bough_status add_stream(const link_loads_question *q, link_loads *loads, bough_error *error) {
    const bough_traffic *pattern = q->traffic->law->pattern;
    const bough_pattern *p = pattern->kind->pattern;
    expectation x = {.c = {.q = q, .loads = loads}};
    void *state = NULL;
    bough_status status = p->open ? p->open(pattern, q->key, &state, error) : BOUGH_OK;
    for (uint64_t e = 0; e < pattern->net->endpoints && !status; e++) {
        if (stop_asked(loads->stop)) status = bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
        x.source = (uint32_t)e;
        x.rate = bough_pattern_rate(pattern, x.source);
        if (!status) p->visit(pattern, state, x.source, add_expected, &x);
    }
    if (p->close && state) p->close(state);
    return status;
}

bough_status link_loads_find(const link_loads_question *q, link_loads *loads, bough_error *error) {
    const bough_traffic *traffic = q->traffic;
    const uint64_t links = q->routing->net->links;
    collector c = {.q = q, .loads = loads};
    loads->lost = 0;
    loads->messages = 0;
    bough_status status = spread_check(q->routing, "a table of link loads", error);
    if (status) return status;
    if (loads->flows) memset(loads->flows, 0, links * sizeof *loads->flows);
    if (loads->bytes) memset(loads->bytes, 0, links * sizeof *loads->bytes);
    if (traffic->law) return add_stream(q, loads, error);
    if (!traffic->each) return batch_each(traffic, q->key, add_message, &c, error);
    traffic->each(traffic, add_sent, &c);
    return BOUGH_OK;
}

bool link_loads_sized(const bough_traffic *traffic) {
    return traffic && traffic->each;
}

static bough_status count_alltoall(const bough_routing *routing, link_loads *loads, bough_error *error) {
    alltoall_result result = {0};
    bough_status status =
        loads->flows ? alltoall_loads(routing, loads->stop, loads->flows, &result, error) : BOUGH_OK;
    loads->lost = result.lost;
    return status;
}

bough_status link_loads_of(const bough_routing *routing, const bough_traffic *traffic, uint64_t seed,
                           link_loads *loads, bough_error *error) {
    if (loads->bytes && !link_loads_sized(traffic))
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "messages of %s have no sizes in bytes, only flows",
                          traffic ? traffic->spec : "all-to-all");
    if (!traffic) return count_alltoall(routing, loads, error);
    link_loads_question question = {routing, traffic, bough_key_make(seed, 0), 1};
    return link_loads_find(&question, loads, error);
}
