/* The method `sensitivity`: what would shorten the time of a job most. Another method runs the point, and
 * runs it again with one thing changed by a step; all runs of a trial have its key, so random draws are
 * common to them.
 *
 * The order of the rows is that of the first trial, for a key of its own where trials differ: every trial
 * must have the same rows. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "method/method.h"
#include "method/method_run.h"
#include "method/rows.h"
#include "searches/search_list.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- point changes ---- */

/* Changes of a point: the rates of links of a class, the rate of one cable, the computations of one host, or
 * a parameter of the setting, times a factor. A changed point borrows all else from the point. */

typedef enum change_kind {
    CHANGE_ALL_LINKS,   /* rate of all links: where several limit, a change of one of them changes nothing */
    CHANGE_HOST_LINKS,  /* rate of the links of endpoints; of GPUs: part 0 to the NIC, 1 to the switch of the
                           node */
    CHANGE_LEVEL_LINKS, /* rate of the links of level `part` between switches */
    CHANGE_LINK,        /* rate of the cable of link `part`, both directions */
    CHANGE_HOST,        /* computations on endpoint `part` */
    CHANGE_COMPUTE,     /* all computations */
    CHANGE_DELAY,       /* of links; then of switches, and costs of hosts */
    CHANGE_SWITCH,
    CHANGE_O,
    CHANGE_GAP,
    CHANGE_O_BYTE
} change_kind;

typedef struct point_change {
    change_kind kind;
    uint64_t part;
    double value; /* for the caller */
} point_change;

/* How many single parts to change. */
typedef struct change_counts {
    unsigned links; /* the most loaded cables, by the time of the bytes of either direction */
    unsigned hosts; /* those with the most computations */
} change_counts;

/* The copies behind a changed point. */
typedef struct changed_point {
    bough_point point;
    bough_net net;
    bough_routing routing;
    bough_traffic traffic;
    bough_workload workload;
    bough_physical physical;
    bough_speeds speeds;
    bough_compute_nodes nodes; /* if the point has them */
    bough_net fabric;
    uint32_t *rate, *compute; /* owned */
    bough_host *job_host;     /* owned; of workload */
    double factor;            /* of the change after rounding; 1: it is too small to change anything */
} changed_point;

/* ---- which links ---- */

/* Of a link of an endpoint: whether it leads to or from the NVSwitch or PCIe switch of a compute node. */
static bool is_switch_link(const bough_net *net, uint64_t link) {
    const bough_compute_nodes *c = net->compute;
    return c && (bough_link_start(net, link) >= c->first_switch ||
                 net->ops->link_end(net, link).node >= c->first_switch);
}

static bool is_changed(const bough_net *net, const point_change *c, uint64_t link) {
    if (c->kind == CHANGE_ALL_LINKS) return true;
    if (c->kind == CHANGE_LINK) return link == c->part || link == bough_link_twin(net, c->part);
    bool host = bough_link_of_endpoint(net, link);
    if (c->kind == CHANGE_HOST_LINKS) return host && is_switch_link(net, link) == (c->part == 1);
    return c->kind == CHANGE_LEVEL_LINKS && !host && bough_link_level(net, link) == c->part;
}

/* ---- names ---- */

/* "rate of links of hosts", "rate of cable s1.0/4 -> s2.0/0", "o". Returns buffer. */
static char *change_name(const bough_point *point, const point_change *c, char *buffer, size_t size) {
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
        if (bough_link_of_endpoint(net, i) && is_switch_link(net, i))
            switches = true;
        else if (bough_link_of_endpoint(net, i))
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

/* By the path of the routing without load: the first link of each route. */
static void add_message(void *context, uint32_t from, uint32_t to, uint64_t bytes) {
    enum { HOPS_MAX = 1024 };
    const byte_sums *s = context;
    const bough_net *net = s->point->net;
    const bough_flow flow = {from, bough_endpoint_address(net, to), 0};
    const uint64_t wire = bough_physical_wire_bytes(bough_net_physical(net), bytes);
    uint64_t path[HOPS_MAX];
    const int links = bough_path(s->point->routing, &flow, path, HOPS_MAX);
    for (int i = 0; i < links; i++) s->bytes[path[i]] += (double)wire;
}

/* A cable has the larger value of its directions, at its lower link. */
static void join_directions(const bough_net *net, double *value) {
    for (uint64_t l = 0; l < net->links; l++) {
        uint64_t twin = bough_link_twin(net, l);
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

/* The largest costs of any host. */
static bough_host dearest(const bough_workload *w) {
    bough_host most = w->job_host ? w->job_host[0] : w->host;
    for (uint32_t j = 0; w->job_host && j < w->jobs; j++) {
        const bough_host *h = &w->job_host[j];
        if (h->o > most.o) most.o = h->o;
        if (h->g > most.g) most.g = h->g;
        if (h->O > most.O) most.O = h->O;
    }
    return most;
}

static bough_status add_costs(list *l) {
    const bough_physical *p = bough_net_physical(l->point->net);
    const bough_workload *w = l->point->traffic->workload;
    bough_status status = BOUGH_OK;
    if (p->delay) TRY(add(l, CHANGE_DELAY, 0));
    if (p->switch_delay) TRY(add(l, CHANGE_SWITCH, 0));
    const bough_host most = w ? dearest(w) : (bough_host){0};
    if (most.o) TRY(add(l, CHANGE_O, 0));
    if (most.g) TRY(add(l, CHANGE_GAP, 0));
    if (most.O) TRY(add(l, CHANGE_O_BYTE, 0));
    return status;
}

/* All changes that may matter to the point: parts that exist, costs above 0. The caller frees *change. */
static bough_status changes_list(const bough_point *point, change_counts counts, point_change **change,
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

static uint64_t *cost_of(changed_point *x, bough_host *host, change_kind kind) {
    uint64_t *const value[] = {
        [CHANGE_DELAY] = &x->physical.delay,
        [CHANGE_SWITCH] = &x->physical.switch_delay,
        [CHANGE_O] = &host->o,
        [CHANGE_GAP] = &host->g,
        [CHANGE_O_BYTE] = &host->O,
    };
    return value[kind];
}

/* Jobs with costs of their own all change; the factor is that of the largest. */
static bough_status change_cost(changed_point *x, change_kind kind, double factor, bough_error *error) {
    const bough_workload *w = &x->workload;
    const uint32_t jobs = w->job_host && kind >= CHANGE_O ? w->jobs : 1;
    uint64_t most = 0;
    bough_status status =
        w->job_host ? bough_alloc(&x->job_host, w->jobs, sizeof *x->job_host, error) : BOUGH_OK;
    if (status) return status;
    if (w->job_host) memcpy(x->job_host, w->job_host, w->jobs * sizeof *x->job_host);
    for (uint32_t j = 0; j < jobs; j++) {
        uint64_t *value = cost_of(x, x->job_host ? &x->job_host[j] : &x->workload.host, kind);
        const uint64_t before = *value;
        *value = (uint64_t)floor((double)before * factor + 0.5);
        if (before > most) x->factor = (double)*value / (double)before;
        if (before > most) most = before;
    }
    if (x->job_host) x->workload.job_host = x->job_host;
    return BOUGH_OK;
}

/* In place: do not move it. Errors: NO_MEMORY. */
static bough_status changed_point_make(const bough_point *point, const point_change *c, double factor,
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
    return change_cost(x, c->kind, factor, error);
}

static void changed_point_fini(changed_point *x) {
    FREE_ALL(x->rate, x->compute, x->job_host);
}

/* ---- sensitivity method ---- */

enum { P_OF, P_STEP, P_TOP, P_LINKS, P_HOSTS };

static const bough_param params[] = {
    [P_OF] = {"of", "method that gives the completion time, with its parameters in quotes", BOUGH_TEXT,
              "flow", 0, 0, .echo = true},
    [P_STEP] = {"step", "each rate, delay, cost and time is changed by this fraction", BOUGH_SHARE, "10%",
                1e-4, 1},
    [P_TOP] = {"top", "changes to report, the largest first; 0: all", BOUGH_INT, "10", 0, 1000},
    [P_LINKS] = {"links", "most loaded cables to change one by one (schedules)", BOUGH_INT, "3", 0, 1000},
    [P_HOSTS] = {"hosts", "hosts to change one by one, those with the most computations", BOUGH_INT, "3", 0,
                 1000},
    BOUGH_PARAMS_END,
};

static const char *method_of(const bough_run *run) {
    return run->args.value[P_OF].text;
}

static double factor_of(const bough_run *run) {
    return 1 + run->args.value[P_STEP].real;
}

static bough_status sensitivity_open(bough_run *run, bough_error *error) {
    bough_run *of;
    if (strncmp(method_of(run), "sensitivity", strlen("sensitivity")) == 0)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "of=%s: expected a method with a completion time, such as flow", method_of(run));
    if (run->point.net->aggregation)
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "method sensitivity does not change switches that add; leave sharp= out of the physical "
            "setting");
    bough_status status = bough_run_create(method_of(run), &run->point, &of, error);
    if (status) return status;
    run->draws = !bough_run_exact(of);
    run->parallel = of->parallel;
    run->assumptions = of->assumptions;
    memcpy(run->assumption, of->assumption, sizeof of->assumption);
    run->bytes = bough_add(bough_mul(2, of->bytes), bough_mul(run->point.net->links, 16));
    run->bytes_each = of->bytes_each;
    run->bytes_team = of->bytes_team;
    bough_run_destroy(of);
    return BOUGH_OK;
}

/* ---- runs ---- */

typedef struct workspace {
    point_change *change; /* the reported ones, in their order */
    size_t changes;
    bool ordered; /* and their values are those of every trial, if trials do not differ */
} workspace;

/* A trial of the method on a point. */
typedef struct measure {
    const bough_run *run;
    bough_key key;
    uint64_t done, total; /* runs of this trial */
} measure;

/* Errors: UNSUPPORTED if the method gives no completion time. *time 0: the schedule hangs, as rows say. */
static bough_status time_of(measure *m, const bough_point *point, bough_rows *rows, double *time,
                            bough_error *error) {
    bough_run *of;
    void *space = NULL;
    bough_status status = bough_run_create(method_of(m->run), point, &of, error);
    if (status) return status;
    of->stop = m->run->stop;
    of->threads = m->run->threads;
    of->rehearsal = m->run->rehearsal;
    *time = 0;
    status = bough_run_trial(of, m->key, &space, rows, error);
    if (!status && rows->outcome != BOUGH_RUN_HANGS && !rows_find(rows, BOUGH_METRIC_COMPLETION_TIME, time))
        status = bough_fail(error, BOUGH_UNSUPPORTED, NULL, "sensitivity: %s gives no completion_time of %s",
                            method_of(m->run), point->traffic->spec);
    bough_run_free_workspace(of, space);
    bough_run_destroy(of);
    m->done++;
    if (m->run->progress) m->run->progress(m->run->progress_context, (double)m->done / (double)m->total);
    return status;
}

/* d ln T / d ln x. */
static bough_status measure_change(measure *m, point_change *c, double base, bough_error *error) {
    changed_point x;
    bough_rows rows = {0};
    double time;
    bough_status status = changed_point_make(&m->run->point, c, factor_of(m->run), &x, error);
    TRY(time_of(m, &x.point, &rows, &time, error));
    if (!status) c->value = time > 0 && x.factor != 1 ? log(time / base) / log(x.factor) : 0;
    bough_rows_fini(&rows);
    changed_point_fini(&x);
    return status;
}

static bough_status measure_all(measure *m, workspace *w, double base, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < w->changes && !status; i++) status = measure_change(m, &w->change[i], base, error);
    return status;
}

/* The largest first; equal ones as in the list. */
static int by_size(const void *a, const void *b) {
    const point_change *x = a, *y = b;
    double p = fabs(x->value), q = fabs(y->value);
    if (p != q) return p < q ? 1 : -1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

/* Lists the changes, measures all of them once, and keeps the largest. */
static bough_status find_order(measure *m, workspace *w, double base, bough_error *error) {
    const bough_value *v = m->run->args.value;
    const change_counts counts = {(unsigned)v[P_LINKS].integer, (unsigned)v[P_HOSTS].integer};
    size_t top = (size_t)v[P_TOP].integer;
    bough_status status = changes_list(&m->run->point, counts, &w->change, &w->changes, error);
    m->total = m->done + w->changes;
    TRY(measure_all(m, w, base, error));
    if (status) return status;
    qsort(w->change, w->changes, sizeof *w->change, by_size);
    if (top && top < w->changes) w->changes = top;
    w->ordered = true;
    return BOUGH_OK;
}

/* ---- trials ---- */

static bough_status report(const bough_run *run, const workspace *w, double base, bough_rows *rows,
                           bough_error *error) {
    char name[192];
    rows->count = 0;
    bough_status status = bough_rows_add(rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX, base, error);
    for (size_t i = 0; i < w->changes && !status; i++)
        status = bough_rows_add(rows, BOUGH_METRIC_SENSITIVITY, (int64_t)i, w->change[i].value, error);
    rows->note[index_names_at(rows->note)] = 0; /* labels of the method */
    for (size_t i = 0; i < w->changes; i++)
        index_name_put(rows->note, "change", (int64_t)i,
                       change_name(&run->point, &w->change[i], name, sizeof name));
    return status;
}

/* Of a schedule that hangs, as the note says, or has nothing to send. */
static bough_status report_nothing(bough_rows *rows, bough_error *error) {
    double messages = 0;
    bool hangs = rows->outcome == BOUGH_RUN_HANGS;
    rows_find(rows, BOUGH_METRIC_MESSAGES, &messages);
    rows->count = 0;
    return bough_rows_add(rows, hangs ? BOUGH_METRIC_MESSAGES : BOUGH_METRIC_COMPLETION_TIME,
                          BOUGH_NO_ROW_INDEX, hangs ? messages : 0, error);
}

static bough_status sensitivity_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                                      bough_error *error) {
    bough_status status = *space ? BOUGH_OK : bough_alloc(space, 1, sizeof(workspace), error);
    if (status) return status;
    workspace *w = *space;
    bool exact = bough_run_exact(run), first = !w->ordered;
    measure m = {.run = run, .key = key, .total = 1 + w->changes};
    double base;
    if (first && !exact) {
        bough_rows pilot = {0};
        measure order = {.run = run, .key = bough_key_make(0, 0), .total = 1};
        status = time_of(&order, &run->point, &pilot, &base, error);
        if (!status && base > 0) status = find_order(&order, w, base, error);
        bough_rows_fini(&pilot);
    }
    TRY(time_of(&m, &run->point, rows, &base, error));
    if (status) return status;
    if (base <= 0) return report_nothing(rows, error);
    if (exact && first)
        status = find_order(&m, w, base, error);
    else if (!exact)
        status = measure_all(&m, w, base, error);
    return status ? status : report(run, w, base, rows, error);
}

static void free_workspace(void *space) {
    workspace *w = space;
    if (w) FREE_ALL(w->change, w);
}

const bough_method bough_method_sensitivity = {
    .name = "sensitivity",
    .summary = "which rates, delays, costs and times a job depends on: its completion time with each of them "
               "changed",
    .source = "",
    .params = params,
    .headline = BOUGH_METRIC_COMPLETION_TIME,
    .needs_net = BOUGH_HAS_ROUTES,
    .needs_traffic = 1 << BOUGH_BATCH | 1 << BOUGH_SCHEDULE,
    .needs_routing = true,
    .takes_via = true,
    .takes_draws = true,
    .exact = true,
    .random_links = "runs another method",
    .open = sensitivity_open,
    .trial = sensitivity_trial,
    .free_workspace = free_workspace,
};
