#include "traffic/schedules/workload.h"

#include "base/files/input.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/scanner.h"
#include "base/text/terminal_text.h"
#include "formats/slurm/host_list.h"
#include "network/faults/faults.h"
#include "network/hosts.h"
#include "traffic/collectives/collective.h"
#include "traffic/endpoint_names.h"
#include "traffic/schedules/schedule_source.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct work {
    bough_workload w; /* owns its pointers */
    match_plan match;
} work;

static void free_workload(const bough_workload *w) {
    bough_schedule_destroy((bough_schedule *)w->schedule);
    FREE_ALL((uint32_t *)w->endpoint, (uint32_t *)w->node, (bough_job *)w->job, (bough_host *)w->job_host,
             (uint8_t *)w->job_of);
}

void workload_fini(bough_traffic *t) {
    work *k = t->data;
    if (!k) return;
    free_workload(&k->w);
    match_fini(&k->match);
    free(k);
}

/* ---- placement ---- */

typedef struct shape {
    uint32_t gpus, rails;
    uint64_t nodes; /* number of nodes for which there are endpoints */
} shape;

/* The hosts of a fabric that are the nodes: NULL where each endpoint is a host, or nodes are made of
 * endpoints. */
static const net_hosts *hosts_of(const bough_net *net, const shape *s) {
    const bool several = net->hosts && net->hosts->most > 1 && !net->compute;
    return several && (s->gpus > 1 || s->rails > 1) ? net->hosts : NULL;
}

static shape shape_of(const bough_args *args, const bough_net *net) {
    const bough_compute_nodes *c = net->compute;
    if (c) return (shape){c->setting->gpus, c->setting->gpus, c->nodes};
    shape s = {(uint32_t)bough_args_get(args, "gpus")->integer,
               (uint32_t)bough_args_get(args, "rails")->integer, 0};
    s.nodes = hosts_of(net, &s) ? net_hosts_with(net->hosts, s.rails) : bough_net_hosts(net) / s.rails;
    return s;
}

workload_nodes workload_nodes_of(const bough_args *args, const bough_net *net) {
    shape s = shape_of(args, net);
    return (workload_nodes){s.gpus, net->compute ? net->compute->setting->nics : s.rails};
}

uint32_t workload_room(const bough_args *args, const bough_net *net) {
    shape s = shape_of(args, net);
    uint64_t room = bough_mul(s.nodes, s.gpus), most = UINT64_C(1) << 28;
    return (uint32_t)(room < most ? room : most);
}

static bool place_is(const bough_args *args, const char *how) {
    return strcmp(bough_args_get(args, "place")->text, how) == 0;
}

static bool is_file(const bough_args *args) {
    return !place_is(args, "linear") && !place_is(args, "random") && !place_is(args, "rail");
}

/* With compute nodes endpoints are GPUs. */
static bough_status refuse_nodes(const bough_args *args, const bough_net *net, bough_error *error) {
    if (bough_args_get(args, "failover")->integer)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "failover= is for rails= without compute nodes; the physical setting has %s, "
                          "whose failover= counts",
                          net->compute->setting->spec);
    bool given = bough_args_get(args, "gpus")->given || bough_args_get(args, "rails")->given;
    if (given)
        return bough_fail(
            error, BOUGH_INVALID, NULL,
            "gpus= and rails= are for endpoints without compute nodes; the physical setting has %s, "
            "whose gpus= and nics= count",
            net->compute->setting->spec);
    if (place_is(args, "rail"))
        return bough_fail(
            error, BOUGH_INVALID, NULL,
            "place=rail is for endpoints without compute nodes; the physical setting has %s, whose "
            "wiring= counts",
            net->compute->setting->spec);
    return BOUGH_OK;
}

bough_status workload_check_room(const bough_args *args, const bough_net *net, uint64_t ranks,
                                 const char *name, bough_error *error) {
    shape s = shape_of(args, net);
    const bool file = is_file(args);
    bough_status status = net->compute ? refuse_nodes(args, net, error) : BOUGH_OK;
    if (status) return status;
    if (s.gpus % s.rails != 0)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "rails=%" PRIu32 " endpoints of a node cannot be divided evenly by gpus=%" PRIu32
                          " ranks",
                          s.rails, s.gpus);
    if (file || ranks <= bough_mul(s.nodes, s.gpus)) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, name,
                      "%" PRIu64 " ranks, but %s has %" PRIu64 " endpoints, enough for %" PRIu64
                      " (gpus=%" PRIu32 ", rails=%" PRIu32
                      "); use a larger network, or place several ranks on an endpoint with %splace=FILE",
                      ranks, net->spec, bough_net_hosts(net), bough_mul(s.nodes, s.gpus), s.gpus, s.rails,
                      net->compute ? "" : "gpus= or ");
}

/* Draws the places of nodes, for this number of nodes. */
static bough_status shuffle_nodes(uint64_t places, uint64_t key, uint32_t nodes, uint32_t **slot,
                                  bough_error *error) {
    uint32_t *all;
    bough_status status = bough_alloc(&all, places, sizeof *all, error);
    if (status) return status;
    bough_stream stream = bough_stream_make(bough_key_make(key, 0), BOUGH_DRAW_PLACE, 0, 0);
    for (uint64_t e = 0; e < places; e++) all[e] = (uint32_t)e;
    for (uint32_t n = 0; n < nodes; n++) {
        uint64_t other = n + bough_stream_below(&stream, places - n);
        uint32_t here = all[n];
        all[n] = all[other];
        all[other] = here;
    }
    *slot = all;
    return BOUGH_OK;
}

/* Where the NICs of nodes are. */
typedef struct nics {
    const bough_net *net;
    shape s;
    uint32_t *host; /* [nodes]; NULL: nodes are made of endpoints, */
    bool rail;      /* by rail */
} nics;

static uint32_t nic_at(const nics *n, uint64_t node, uint64_t nic) {
    if (n->host) return n->net->hosts->endpoints.item[n->net->hosts->endpoints.first[n->host[node]] + nic];
    return (uint32_t)(n->rail ? nic * n->s.nodes + node : node * n->s.rails + nic);
}

static bough_status list_hosts(nics *n, bough_error *error) {
    const net_hosts *h = hosts_of(n->net, &n->s);
    if (!h) return BOUGH_OK;
    uint64_t count = 0;
    bough_status status = bough_alloc(&n->host, h->count, sizeof *n->host, error);
    for (uint32_t i = 0; i < h->count && !status; i++)
        if (rows_count(&h->endpoints, i) >= n->s.rails) n->host[count++] = i;
    return status;
}

/* The NIC that takes the place of a dead one: the next live one of the node. */
static uint32_t live_nic(const nics *n, uint64_t node, uint64_t nic) {
    char dead[160];
    uint32_t first = UINT32_MAX;
    for (uint64_t i = 0; i < n->s.rails; i++) {
        uint32_t endpoint = nic_at(n, node, (nic + i) % n->s.rails);
        if (first == UINT32_MAX) first = endpoint;
        if (!*bough_dead_part(n->net, endpoint, dead, sizeof dead)) return endpoint;
    }
    return first;
}

static bough_status place_nodes(const bough_args *args, const bough_net *net, uint32_t ranks,
                                uint32_t *endpoint, bough_error *error) {
    shape s = shape_of(args, net);
    uint64_t key = (uint64_t)bough_args_get(args, "key")->integer;
    uint32_t *slot = NULL, each = s.gpus / s.rails;
    bool failover = bough_args_get(args, "failover")->integer;
    nics n = {.net = net, .s = s, .rail = place_is(args, "rail")};
    bough_status status = list_hosts(&n, error);
    if (place_is(args, "random") && !status)
        status =
            shuffle_nodes(s.nodes, key, (uint32_t)((ranks + (uint64_t)s.gpus - 1) / s.gpus), &slot, error);
    for (uint32_t r = 0; r < ranks && !status; r++) {
        uint64_t node = r / s.gpus, nic = r % s.gpus / each;
        if (slot) node = slot[node];
        endpoint[r] = failover ? live_nic(&n, node, nic) : nic_at(&n, node, nic);
    }
    FREE_ALL(slot, n.host);
    return status;
}

typedef struct placer {
    endpoints all;
    scanner in;
    uint32_t ranks, *endpoint;
    uint32_t named; /* ranks that lines of names have placed */
} placer;

static bough_status place_rank(placer *p, uint64_t rank, const char *name) {
    char what[40];
    uint64_t endpoint = 0;
    if (rank >= p->ranks)
        return scan_fail(&p->in, "rank %" PRIu64 " is out of range; there are %" PRIu32 ", counted from 0",
                         rank, p->ranks);
    if (p->endpoint[rank] != UINT32_MAX) return scan_fail(&p->in, "rank %" PRIu64 " is placed twice", rank);
    snprintf(what, sizeof what, "rank %" PRIu64 ":", rank);
    bough_status status = endpoints_find(&p->all, name, what, &endpoint, p->in.error);
    if (status) return scan_at(&p->in, status);
    p->endpoint[rank] = (uint32_t)endpoint;
    return BOUGH_OK;
}

/* "node[003,001]": the next ranks, as the nodes of a SLURM_HOSTFILE. */
static bough_status place_names(placer *p, bough_slice text) {
    host_list list = {.count = 0};
    bough_status status = host_list_expand(&list, NULL, text, p->in.error);
    scan_at(&p->in, status);
    for (size_t i = 0; i < list.count && !status; i++) status = place_rank(p, p->named++, list.name[i]);
    arena_fini(&list.memory);
    return status;
}

/* "17 node003" */
static bough_status place_line(placer *p) {
    char text[200];
    const char *line = p->in.at;
    size_t length = (size_t)(p->in.stop - line);
    while (length && isspace((unsigned char)*line)) line++, length--;
    while (length && isspace((unsigned char)line[length - 1])) length--;
    if (!length || *line == '#') return BOUGH_OK;
    bool blank = false;
    for (size_t i = 0; i < length; i++) blank |= line[i] == ' ' || line[i] == '\t';
    if (!blank && !isdigit((unsigned char)*line) && !memchr(line, 0, length))
        return place_names(p, (bough_slice){line, length});
    if (length >= sizeof text || memchr(line, 0, length))
        return scan_fail(&p->in, "expected a rank and an endpoint");
    memcpy(text, line, length);
    text[length] = 0;
    char *stop;
    uint64_t rank = strtoull(text, &stop, 10);
    char *name = stop + strspn(stop, " \t,");
    if (!isdigit((unsigned char)*text) || name == stop || !*name)
        return scan_fail(&p->in,
                         "'%.60s': expected a rank and an endpoint, as 17 node003, or names "
                         "in the order of ranks, as node[003,001]",
                         text);
    return place_rank(p, rank, name);
}

static bough_status place_file(const char *path, const bough_net *net, uint32_t ranks, uint32_t *endpoint,
                               bough_error *error) {
    placer p = {.all.net = net, .ranks = ranks, .endpoint = endpoint, .in.error = error};
    bough_input input;
    bough_status status = bough_input_read(path, &input, error);
    if (status) return status;
    memset(endpoint, 0xff, ranks * sizeof *endpoint);
    terminal_clean_all(&input);
    for (size_t i = 0; i < input.count && !status; i++) {
        p.in = scan_piece(&input.piece[i], error);
        while (!status && scan_line(&p.in)) status = place_line(&p);
    }
    for (uint32_t r = 0; r < ranks && !status; r++)
        if (endpoint[r] == UINT32_MAX)
            status = bough_fail(error, BOUGH_INVALID, path, "does not place rank %" PRIu32 " of %" PRIu32, r,
                                ranks);
    endpoints_fini(&p.all);
    bough_input_fini(&input);
    return status;
}

bough_status workload_place(const bough_traffic *t, uint32_t ranks, const char *name, uint32_t *endpoint,
                            bough_error *error) {
    const bough_args *args = &t->args;
    const bough_net *net = t->net;
    const char *how = bough_args_get(args, "place")->text;
    bough_status status = workload_check_room(args, net, ranks, name, error);
    if (status) return status;
    if (!is_file(args)) return place_nodes(args, net, ranks, endpoint, error);
    return place_file(how, net, ranks, endpoint, error);
}

/* The host of an endpoint, which is a GPU or a NIC, and its place there. */
static collective_seat seat_of(const bough_net *net, uint32_t endpoint) {
    const net_hosts *h = net->hosts;
    const bough_node_setting *s = net->compute ? net->compute->setting : NULL;
    if (!h) return collective_seat_made(endpoint, s->gpus, s->nics);
    const uint32_t place = net_host_place(h, endpoint);
    return (collective_seat){h->of[endpoint], place,
                             s ? collective_seat_made(place, s->gpus, s->nics).nic : place};
}

bough_status workload_seats(const bough_traffic *t, uint32_t ranks, const char *name, collective_seat **out,
                            bough_error *error) {
    const bough_net *net = t->net;
    const uint32_t hosts = net->hosts ? net->hosts->count : net->compute ? (uint32_t)net->compute->nodes : 0;
    uint32_t *endpoint = NULL, *number = NULL, next = 0;
    *out = NULL;
    const bool chosen = net->compute && net->hosts; /* GPUs of a job: its ranks are on any of them */
    if (!chosen && (!is_file(&t->args) || (!net->compute && !(net->hosts && net->hosts->most > 1))))
        return BOUGH_OK;
    bough_status status = bough_alloc(&endpoint, ranks, sizeof *endpoint, error);
    TRY(bough_alloc(out, ranks, sizeof **out, error));
    TRY(bough_alloc(&number, hosts, sizeof *number, error));
    TRY(workload_place(t, ranks, name, endpoint, error));
    for (uint32_t r = 0; r < ranks && !status; r++) {
        collective_seat *seat = &(*out)[r];
        *seat = seat_of(net, endpoint[r]);
        if (!number[seat->node]) number[seat->node] = ++next;
        seat->node = number[seat->node] - 1;
    }
    FREE_ALL(endpoint, number);
    return status;
}

/* NULL if every rank is its own node; else as the collectives group ranks. */
static bough_status name_nodes(const bough_traffic *t, const bough_schedule *s, const uint32_t **out,
                               bough_error *error) {
    const uint32_t gpus = (uint32_t)bough_args_get(&t->args, "gpus")->integer,
                   hosts = bough_schedule_hosts(s);
    uint32_t *node;
    collective_seat *seat = NULL;
    if (gpus == 1) return BOUGH_OK;
    bough_status status = bough_alloc(&node, s->ranks, sizeof *node, error);
    if (status) return status;
    *out = node;
    status = workload_seats(t, hosts, s->name, &seat, error);
    for (uint32_t r = 0; r < s->ranks && !status; r++)
        node[r] = r >= hosts ? r : seat ? seat[r].node : r / gpus;
    free(seat);
    return status;
}

/* ---- hosts ---- */

void workload_set_costs(const bough_args *args, bough_host *host) {
    const struct {
        const char *key;
        uint64_t *value;
    } own[] = {{"L", &host->L}, {"o", &host->o}, {"g", &host->g},
               {"G", &host->G}, {"O", &host->O}, {"S", &host->S}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        const bough_value *v = bough_args_get(args, own[i].key);
        if (v->given) *own[i].value = (uint64_t)v->integer;
    }
}

bough_status workload_host(const bough_traffic *t, bough_host *host, bough_error *error) {
    const bough_value *jitter = bough_args_get(&t->args, "jitter");
    *host = bough_net_physical(t->net)->host;
    workload_set_costs(&t->args, host);
    return jitter->given ? bough_jitter_read(jitter->text, &host->jitter, error) : BOUGH_OK;
}

/* L= and G= belong together: without a network both, or neither, come from the paths. */
static bough_status check_host(const bough_host *host, const char *name, bough_error *error) {
    if ((host->L == BOUGH_FROM_NETWORK) == (host->G == BOUGH_FROM_NETWORK)) return BOUGH_OK;
    return bough_fail(error, BOUGH_INVALID, name,
                      "L= and G= are given together (hosts without a network), or neither; %s= is missing",
                      host->L == BOUGH_FROM_NETWORK ? "L" : "G");
}

/* No operation may take more than an eighth of the maximum time, so sums of a few do not overflow. */
static bough_status check_times(const bough_workload *w, const bough_net *net, bough_error *error) {
    const bough_schedule *s = w->schedule;
    uint64_t G = w->host.G;
    if (G == BOUGH_FROM_NETWORK) G = bough_physical_time(1, bough_net_physical(net)->rate);
    uint64_t most = RANKS_TIME_MAX / 8, dear = G > w->host.O ? G : w->host.O;
    for (uint32_t j = 0; w->job_host && j < w->jobs; j++)
        if (w->job_host[j].O > dear) dear = w->job_host[j].O;
    for (uint32_t o = 0; o < s->ops; o++) {
        uint64_t lasts = bough_mul(s->op[o].size, s->op[o].kind == BOUGH_OP_CALC ? 1000 : dear);
        char place[256], text[96];
        if (lasts <= most) continue;
        return bough_fail(error, BOUGH_INVALID, match_op_place(s, o, place, sizeof place),
                          "%s would take more than 6 days", match_op_text(&s->op[o], text, sizeof text));
    }
    return BOUGH_OK;
}

/* ---- traffic ---- */

static void each(const bough_traffic *t, bough_visit_bytes *visit, void *context) {
    const bough_workload *w = t->workload;
    const bough_schedule *s = w->schedule;
    for (uint32_t r = 0; r < s->ranks; r++)
        for (uint32_t o = s->first[r]; o < s->first[r + 1]; o++)
            if (s->op[o].kind == BOUGH_OP_SEND && !bough_ranks_inside(w, r, s->op[o].peer))
                visit(context, w->endpoint[r], w->endpoint[s->op[o].peer], s->op[o].size);
}

/* Memory of the schedule, the channels of operations, and the placement. */
static uint64_t bytes_of(const work *k) {
    const bough_schedule *s = k->w.schedule;
    uint64_t of_op = sizeof *s->op + sizeof *s->then + sizeof *s->waits + sizeof *k->match.channel +
                     sizeof *k->match.rank + (k->match.also ? sizeof *k->match.also : 0);
    uint64_t of_rank = sizeof *s->first + sizeof *k->w.endpoint + (k->w.node ? sizeof *k->w.node : 0);
    uint64_t bytes = bough_add(bough_mul(s->ops, of_op), bough_mul(s->then[s->ops], sizeof *s->follower));
    return bough_add(bytes, bough_mul(s->ranks, of_rank));
}

/* A recording of nothing would take no time, which looks like a result. */
static bough_status check_content(const bough_schedule *s, const bough_traffic *t, bough_error *error) {
    for (const bough_param *p = t->kind->params; p->key && s->ops == 0; p++)
        if (strcmp(p->key, "file") == 0)
            return bough_fail(error, BOUGH_INVALID, s->name,
                              "has no messages and no computations; expected those of %" PRIu32 " ranks",
                              s->ranks);
    return BOUGH_OK;
}

/* Completes a workload whose ranks have endpoints. On error, fini of the kind frees what was made. */
static bough_status finish(work *k, bough_traffic *t, bough_error *error) {
    const bough_schedule *s = k->w.schedule;
    bough_status status = check_content(s, t, error);
    TRY(check_host(&k->w.host, s->name, error));
    TRY(check_times(&k->w, t->net, error));
    TRY(match_make(s, t->net->threads, &k->match, error));
    if (!status && s->sends > UINT32_MAX)
        status = bough_fail(error, BOUGH_TOO_LARGE, s->name, "more than 2^32 messages");
    if (status) return status;
    t->workload = &k->w;
    t->messages = s->sends;
    t->shape = BOUGH_SCHEDULE;
    t->each = each;
    t->source_bytes = schedule_source_bytes(&k->w, &k->match);
    t->bytes = bytes_of(k);
    return BOUGH_OK;
}

bough_status workload_make(bough_schedule *s, uint64_t payload, double bus_factor, bough_traffic *t,
                           bough_error *error) {
    work *k;
    uint32_t *endpoint = NULL;
    bough_status status = bough_alloc(&k, 1, sizeof *k, error);
    if (status) {
        bough_schedule_destroy(s);
        return status;
    }
    t->data = k;
    k->w = (bough_workload){.schedule = s, .payload = payload, .bus_factor = bus_factor};
    status = workload_host(t, &k->w.host, error);
    TRY(bough_alloc(&endpoint, s->ranks, sizeof *endpoint, error));
    k->w.endpoint = endpoint;
    TRY(workload_place(t, s->ranks, s->name, endpoint, error));
    TRY(name_nodes(t, s, &k->w.node, error));
    return status ? status : finish(k, t, error);
}

void workload_describe(bough_traffic *t, const bough_workload_how *how) {
    work *k = t->data;
    k->w.how = *how;
}

bough_status workload_make_placed(const bough_workload *placed, bough_traffic *t, bough_error *error) {
    work *k;
    bough_status status = bough_alloc(&k, 1, sizeof *k, error);
    if (status) {
        free_workload(placed);
        return status;
    }
    t->data = k;
    k->w = *placed;
    status = workload_host(t, &k->w.host, error);
    if (!status && placed->jobs == 0) status = name_nodes(t, placed->schedule, &k->w.node, error);
    return status ? status : finish(k, t, error);
}

const match_plan *workload_match(const bough_traffic *t) {
    return &((const work *)t->data)->match;
}

bough_status workload_open(const bough_traffic *t, bough_key key, const bough_clock *clock,
                           bough_source **out, bough_error *error) {
    return schedule_source(t, key, clock, out, error);
}

bough_status workload_open_jobs(const bough_traffic *t, const workload_jobs *jobs, bough_source **out,
                                bough_error *error) {
    const bough_job *one = &t->workload->job[jobs->one], *other = &t->workload->job[jobs->other];
    const rank_span span[2] = {{one->first, one->first + one->ranks},
                               {other->first, other->first + (one == other ? 0 : other->ranks)}};
    bough_status status = schedule_source(t, jobs->key, jobs->clock, out, error);
    if (!status) schedule_source_only(*out, span);
    return status;
}

void workload_observe(bough_source *source, struct timeline *seen) {
    if (seen) source->observe(source, seen);
}

const rank_engine *workload_ranks(const bough_source *source) {
    return schedule_source_ranks(source);
}

uint64_t workload_job_time(const bough_traffic *t, const rank_engine *ranks, uint32_t job) {
    const bough_job *j = &t->workload->job[job];
    uint64_t end = j->start_ps;
    for (uint32_t r = j->first; r < j->first + j->ranks; r++) {
        uint64_t rank_end = ranks_end_of(ranks, r);
        if (ranks_hangs(ranks, r)) return BOUGH_NONE;
        if (rank_end > end) end = rank_end;
    }
    return end - j->start_ps;
}
