#include "engines/sensitivity/point_changes.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which links ---- */

static bool is_host_link(const bough_net *net, uint64_t link) {
    return bough_link_start(net, link) < net->endpoints ||
           net->ops->link_end(net, link).node < net->endpoints;
}

/* Of a link of an endpoint: whether it leads to or from the NVSwitch or PCIe switch of a compute node. */
static bool is_switch_link(const bough_net *net, uint64_t link) {
    const bough_compute_nodes *c = net->compute;
    return c && (bough_link_start(net, link) >= c->first_switch ||
                 net->ops->link_end(net, link).node >= c->first_switch);
}

static uint64_t twin_of(const bough_net *net, uint64_t link) {
    return net->ops->link_twin ? net->ops->link_twin(net, link) : BOUGH_NONE;
}

static bool is_changed(const bough_net *net, const point_change *c, uint64_t link) {
    if (c->kind == CHANGE_ALL_LINKS) return true;
    if (c->kind == CHANGE_LINK) return link == c->part || link == twin_of(net, c->part);
    bool host = is_host_link(net, link);
    if (c->kind == CHANGE_HOST_LINKS) return host && is_switch_link(net, link) == (c->part == 1);
    return c->kind == CHANGE_LEVEL_LINKS && !host && bough_link_level(net, link) == c->part;
}

/* ---- names ---- */

char *change_name(const bough_point *point, const point_change *c, char *buffer, size_t size) {
    static const char *const name[] = {
        [CHANGE_ALL_LINKS] = "rate of all links",
        [CHANGE_HOST_LINKS] = "rate of links of hosts",
        [CHANGE_COMPUTE] = "time of computations",
        [CHANGE_DELAY] = "delay of links",
        [CHANGE_SWITCH] = "delay of switches",
        [CHANGE_O] = "o",
        [CHANGE_GAP] = "g",
        [CHANGE_O_BYTE] = "O",
    };
    char part[160];
    if (c->kind == CHANGE_HOST_LINKS && point->net->compute) {
        snprintf(buffer, size, "rate of GPUs to %s", c->part ? "the switch of their node" : "NICs");
        return buffer;
    }
    if (c->kind == CHANGE_LEVEL_LINKS)
        snprintf(buffer, size, "rate of links of level %" PRIu64, c->part);
    else if (c->kind == CHANGE_LINK)
        snprintf(buffer, size, "rate of cable %s", bough_link_name(point->net, c->part, part, sizeof part));
    else if (c->kind == CHANGE_HOST)
        snprintf(buffer, size, "computations on %s", bough_node_name(point->net, c->part, part, sizeof part));
    else
        snprintf(buffer, size, "%s", name[c->kind]);
    return buffer;
}

/* ---- the list ---- */

typedef struct list {
    const bough_point *point;
    point_change *item;
    size_t count, capacity;
    bough_error *error;
} list;

static bough_status add(list *l, change_kind kind, uint64_t part) {
    bough_status status = bough_grow(&l->item, &l->capacity, l->count + 1, sizeof *l->item, l->error);
    if (!status) l->item[l->count++] = (point_change){.kind = kind, .part = part};
    return status;
}

static bough_status add_classes(list *l) {
    const bough_net *net = l->point->net;
    bool hosts = false, switches = false, level[256] = {false};
    bough_status status = BOUGH_OK;
    for (uint64_t i = 0; i < net->links; i++) {
        unsigned of = bough_link_level(net, i);
        if (is_host_link(net, i) && is_switch_link(net, i))
            switches = true;
        else if (is_host_link(net, i))
            hosts = true;
        else if (of < 256)
            level[of] = true;
    }
    status = add(l, CHANGE_ALL_LINKS, 0);
    if (hosts) TRY(add(l, CHANGE_HOST_LINKS, 0));
    if (switches) TRY(add(l, CHANGE_HOST_LINKS, 1));
    for (unsigned i = 0; i < 256; i++)
        if (level[i]) TRY(add(l, CHANGE_LEVEL_LINKS, i));
    return status;
}

/* Adds the parts with the largest values above 0; of equal ones, those with the lowest numbers. */
static bough_status add_largest(list *l, change_kind kind, const double *value, uint64_t parts,
                                unsigned most) {
    bough_status status = BOUGH_OK;
    size_t first = l->count;
    for (unsigned k = 0; k < most && !status; k++) {
        uint64_t best = BOUGH_NONE;
        for (uint64_t i = 0; i < parts; i++) {
            bool taken = value[i] <= 0 || (best != BOUGH_NONE && value[i] <= value[best]);
            for (size_t c = first; c < l->count && !taken; c++) taken = l->item[c].part == i;
            if (!taken) best = i;
        }
        if (best == BOUGH_NONE) break;
        status = add(l, kind, best);
    }
    return status;
}

typedef struct byte_sums {
    const bough_point *point;
    double *bytes;
} byte_sums;

/* Follows the first link of each route: the path of the routing without load. */
static void add_message(void *context, uint32_t from, uint32_t to, uint64_t bytes) {
    const byte_sums *s = context;
    const bough_net *net = s->point->net;
    bough_flow flow = {from, (uint32_t)bough_endpoint_address(net, to), 0};
    uint64_t node = from, wire = bough_physical_wire_bytes(bough_net_physical(net), bytes);
    for (unsigned hops = 0; node != to && hops < 1024; hops++) {
        bough_route route;
        if (hops && !bough_is_switch(net, node)) return;
        bough_route_at(s->point->routing, node, &flow, &route);
        if (!route.count) return;
        uint64_t link = bough_route_link(&route, 0);
        s->bytes[link] += (double)wire;
        node = net->ops->link_end(net, link).node;
    }
}

/* A cable has the larger value of its directions, at its lower link. */
static void join_directions(const bough_net *net, double *value) {
    for (uint64_t l = 0; l < net->links; l++) {
        uint64_t twin = twin_of(net, l);
        if (twin == BOUGH_NONE || twin < l) continue;
        if (value[twin] > value[l]) value[l] = value[twin];
        value[twin] = 0;
    }
}

/* Of a schedule; loads of a batch differ from trial to trial. */
static bough_status add_links(list *l, unsigned most) {
    const bough_net *net = l->point->net;
    const bough_traffic *traffic = l->point->traffic;
    byte_sums sums = {.point = l->point};
    if (!most || !traffic->each || l->point->routing->kind->via) return BOUGH_OK;
    bough_status status = bough_alloc(&sums.bytes, net->links, sizeof *sums.bytes, l->error);
    if (status) return status;
    traffic->each(traffic, add_message, &sums);
    for (uint64_t i = 0; i < net->links; i++) sums.bytes[i] /= (double)bough_net_link_rate(net, i);
    join_directions(net, sums.bytes);
    status = add_largest(l, CHANGE_LINK, sums.bytes, net->links, most);
    free(sums.bytes);
    return status;
}

static bough_status add_computations(list *l, unsigned most) {
    const bough_net *net = l->point->net;
    const bough_workload *w = l->point->traffic->workload;
    double *work, all = 0;
    if (!w) return BOUGH_OK;
    bough_status status = bough_alloc(&work, net->endpoints, sizeof *work, l->error);
    if (status) return status;
    for (uint32_t r = 0; r < w->schedule->ranks; r++)
        for (uint32_t o = w->schedule->first[r]; o < w->schedule->first[r + 1]; o++) {
            const bough_op *op = &w->schedule->op[o];
            if (op->kind != BOUGH_OP_CALC || op->tag == BOUGH_CALC_CLOCK) continue;
            work[w->endpoint[r]] +=
                (double)bough_net_compute_time(net, w->endpoint[r], bough_mul(op->size, 1000));
            all += (double)op->size;
        }
    if (all > 0) {
        status = add(l, CHANGE_COMPUTE, 0);
        TRY(add_largest(l, CHANGE_HOST, work, net->endpoints, most));
    }
    free(work);
    return status;
}

static bough_status add_costs(list *l) {
    const bough_physical *p = bough_net_physical(l->point->net);
    const bough_workload *w = l->point->traffic->workload;
    bough_status status = BOUGH_OK;
    if (p->delay) TRY(add(l, CHANGE_DELAY, 0));
    if (p->switch_delay) TRY(add(l, CHANGE_SWITCH, 0));
    if (w && w->host.o) TRY(add(l, CHANGE_O, 0));
    if (w && w->host.g) TRY(add(l, CHANGE_GAP, 0));
    if (w && w->host.O) TRY(add(l, CHANGE_O_BYTE, 0));
    return status;
}

bough_status changes_list(const bough_point *point, change_counts counts, point_change **change,
                          size_t *count, bough_error *error) {
    list l = {.point = point, .error = error};
    bough_status status = add_classes(&l);
    TRY(add_computations(&l, counts.hosts));
    TRY(add_costs(&l));
    TRY(add_links(&l, counts.links));
    if (status) {
        free(l.item);
        return status;
    }
    *change = l.item;
    *count = l.count;
    return BOUGH_OK;
}

/* ---- changed points ---- */

static uint32_t times(uint32_t speed, double factor) {
    double product = floor(speed * factor + 0.5);
    return product < 1 ? 1 : product > UINT32_MAX ? UINT32_MAX : (uint32_t)product;
}

static bough_status copy_speeds(uint32_t **own, const uint32_t *of, uint64_t count, bough_error *error) {
    bough_status status = bough_alloc(own, count, sizeof **own, error);
    for (uint64_t i = 0; i < count && !status; i++) (*own)[i] = of ? of[i] : BOUGH_SPEED_ONE;
    return status;
}

static bough_status change_rates(changed_point *x, const point_change *c, double factor, bough_error *error) {
    const uint64_t links = x->net.links;
    bough_status status = copy_speeds(&x->rate, x->speeds.rate, links, error);
    for (uint64_t l = 0; l < links && !status; l++)
        if (is_changed(&x->net, c, l)) x->rate[l] = times(x->rate[l], factor);
    if (!status) x->speeds.rate = x->rate;
    return status;
}

static bough_status change_computations(changed_point *x, const point_change *c, double factor,
                                        bough_error *error) {
    bough_status status = copy_speeds(&x->compute, x->speeds.compute, x->net.endpoints, error);
    for (uint64_t e = 0; e < x->net.endpoints && !status; e++)
        if (c->kind == CHANGE_COMPUTE || e == c->part) x->compute[e] = times(x->compute[e], factor);
    if (!status) x->speeds.compute = x->compute;
    return status;
}

static void change_cost(changed_point *x, change_kind kind, double factor) {
    uint64_t *const value[] = {
        [CHANGE_DELAY] = &x->physical.delay,   [CHANGE_SWITCH] = &x->physical.switch_delay,
        [CHANGE_O] = &x->workload.host.o,      [CHANGE_GAP] = &x->workload.host.g,
        [CHANGE_O_BYTE] = &x->workload.host.O,
    };
    uint64_t before = *value[kind];
    *value[kind] = (uint64_t)floor((double)before * factor + 0.5);
    x->factor = (double)*value[kind] / (double)before;
}

bough_status changed_point_make(const bough_point *point, const point_change *c, double factor,
                                changed_point *x, bough_error *error) {
    *x = (changed_point){.net = *point->net,
                         .routing = *point->routing,
                         .traffic = *point->traffic,
                         .physical = *bough_net_physical(point->net),
                         .factor = factor};
    if (point->net->speeds) x->speeds = *point->net->speeds;
    if (point->traffic->workload) x->workload = *point->traffic->workload;
    x->net.physical = &x->physical;
    x->net.speeds = &x->speeds;
    x->routing.net = x->traffic.net = &x->net;
    if (point->traffic->workload) x->traffic.workload = &x->workload;
    if (point->net->compute) {
        x->nodes = *point->net->compute;
        x->fabric = *x->nodes.fabric;
        x->fabric.physical = &x->physical;
        x->nodes.fabric = &x->fabric;
        x->net.compute = &x->nodes;
    }
    x->point = (bough_point){&x->net, &x->routing, &x->traffic};
    if (c->kind <= CHANGE_LINK) return change_rates(x, c, factor, error);
    if (c->kind <= CHANGE_COMPUTE) return change_computations(x, c, factor, error);
    change_cost(x, c->kind, factor);
    return BOUGH_OK;
}

void changed_point_fini(changed_point *x) {
    FREE_ALL(x->rate, x->compute);
}
