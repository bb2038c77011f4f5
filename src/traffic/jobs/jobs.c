/* jobs:FILE.csv as traffic: one schedule that contains the schedules of all jobs, each over its own ranks.
 * The traffic of a job is bound to a switch with as many hosts as the job has; its place maps these to
 * endpoints. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "network/hosts.h"
#include "traffic/jobs/job_place.h"
#include "traffic/schedules/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { P_FILE, P_KEY, P_OVERLAP };

static const bough_param params[] = {
    [P_FILE] = {"file", "CSV with the columns traffic, hosts and optionally name, place, start, size",
                BOUGH_TEXT, NULL, 0, 0, .echo = true},
    [P_KEY] = {"key", "key for random places and random batches", BOUGH_INT, "0", 0, 0x1p53},
    [P_OVERLAP] = {"overlap", "a list of hosts may contain hosts of other jobs", BOUGH_FLAG, "0"},
    WORKLOAD_HOST_PARAM_LIST,
    BOUGH_PARAMS_END,
};

/* A job on its own switch. */
typedef struct part {
    bough_net *net, *fabric; /* fabric: of compute nodes; NULL: none */
    net_hosts hosts;         /* of the switch */
    bough_traffic *traffic;
    bough_batch batch;              /* if the traffic is a batch */
    const bough_schedule *schedule; /* otherwise */
    const uint32_t *endpoint;       /* of its ranks, on the switch */
    const uint32_t *node;           /* of its ranks; NULL: each is one */
    uint32_t ranks;
    uint64_t ops, waits;
} part;

typedef struct merger {
    const job_list *l;
    const bough_net *net;
    const bough_args *args; /* of jobs: */
    net_hosts nodes;        /* compute nodes, if there are any */
    part *part;             /* [jobs] */
    bough_schedule_builder *builder;
    uint64_t ranks, ops, waits;
    bough_error *error;
} merger;

static void part_fini(part *p) {
    bough_batch_fini(&p->batch);
    bough_traffic_destroy(p->traffic);
    bough_net_destroy(p->net);
    bough_net_destroy(p->fabric);
    net_hosts_fini(&p->hosts);
}

/* A job may have costs of its own, which algorithms of GPU libraries set. The rest is the same for all. */
static bough_status refuse_hosts(const bough_traffic *t, const bough_args *jobs, bough_error *error) {
    static const char *const common[] = {"L", "G", "jitter"};
    for (unsigned i = 0; i < sizeof common / sizeof *common; i++) {
        const bough_value *own = bough_args_get(&t->args, common[i]), *all = bough_args_get(jobs, common[i]);
        const bool same = own->text ? all->text && strcmp(own->text, all->text) == 0
                                    : all->set && all->integer == own->integer;
        if (own->given && !same)
            return bough_fail(error, BOUGH_INVALID, NULL,
                              "%s= of %s applies to all jobs; give it to jobs: instead (jobs:FILE,%s=..)",
                              common[i], t->spec, common[i]);
    }
    return BOUGH_OK;
}

/* Nested lists could be recursive. */
static bough_status refuse_lists(const job *j, bough_error *error) {
    bough_spec spec;
    bough_status status = bough_spec_parse(j->traffic, &spec, error);
    if (status) return status;
    if (strcmp(spec.name, bough_traffic_jobs.name) == 0)
        status = bough_fail(error, BOUGH_INVALID, NULL,
                            "a list of jobs cannot be a job; add its lines to this list");
    bough_spec_fini(&spec);
    return status;
}

/* A switch with the hosts of a job, or with the NICs of its compute nodes. */
static bough_status open_switch(const merger *m, const job *j, part *p) {
    char spec[64];
    const bough_compute_nodes *c = m->net->compute;
    uint32_t gpus = c ? c->setting->gpus : 1, nics = c ? c->setting->nics : 1;
    if (j->hosts % gpus)
        return bough_fail(m->error, BOUGH_INVALID, NULL,
                          "%" PRIu32 " host%s (GPUs): no whole compute nodes of %" PRIu32, j->hosts,
                          bough_s(j->hosts), gpus);
    snprintf(spec, sizeof spec, "xgft:down=%" PRIu64 ",up=1", (uint64_t)j->hosts / gpus * nics);
    const net_hosts *all = c ? &m->nodes : net_several(m->net) ? m->net->hosts : NULL;
    bough_status status = bough_net_open(spec, m->net->registry, c ? &p->fabric : &p->net, m->error);
    if (!status && c) {
        bough_net_set_physical(p->fabric, m->net->physical);
        status = bough_compute_nodes_create(p->fabric, c->setting, &p->net, m->error);
    }
    if (!status && all) {
        status = net_hosts_choose(all, j->endpoint, j->hosts, &p->hosts, m->error);
        p->hosts.listed = c != NULL; /* of compute nodes GPUs have numbers */
        p->net->hosts = &p->hosts;
    }
    return status;
}

static bough_status open_part(const merger *m, const job *j, uint64_t key, part *p) {
    bough_error *error = m->error;
    bough_status status = refuse_lists(j, error);
    TRY(open_switch(m, j, p));
    TRY(bough_traffic_create(p->net, j->traffic, &p->traffic, error));
    if (status) return status;
    if (p->traffic->workload) {
        p->schedule = p->traffic->workload->schedule;
        p->endpoint = p->traffic->workload->endpoint;
        p->node = p->traffic->workload->node;
        p->ranks = p->schedule->ranks;
        p->ops = p->schedule->ops;
        p->waits = p->schedule->then[p->schedule->ops];
        return refuse_hosts(p->traffic, m->args, error);
    }
    if (p->traffic->shape != BOUGH_BATCH)
        return bough_fail(error, BOUGH_INVALID, NULL, "%s cannot be a job; schedules and batches can",
                          p->traffic->spec);
    p->ranks = j->hosts;
    status = bough_batch_read(p->traffic, bough_key_make(key, j->line), &p->batch, error);
    p->ops = 2 * p->batch.count;
    p->waits = 0;
    return status;
}

/* Delays the operations of a rank until the start of its job: operations without dependencies wait for a
 * computation. */
static bough_status add_start(merger *m, const job *j, uint32_t rank, uint8_t label, uint32_t *start) {
    *start = UINT32_MAX;
    if (!j->start_ps) return BOUGH_OK;
    bough_op op = {
        .size = (j->start_ps + 500) / 1000, .tag = BOUGH_CALC_CLOCK, .kind = BOUGH_OP_CALC, .label = label};
    return bough_schedule_add(m->builder, rank, op, start, m->error);
}

static bough_status own_label(merger *m, const job *j, const char *text, uint8_t *label) {
    char name[160];
    snprintf(name, sizeof name, "%.100s%s%.40s", j->name, *text ? "/" : "", text);
    return bough_schedule_label(m->builder, name, label, m->error);
}

static bough_status merge_schedule(merger *m, const job *j, const part *p, uint32_t base) {
    const bough_schedule *s = p->schedule;
    uint32_t *id, start = UINT32_MAX;
    uint8_t label[256], waiting;
    bough_status status = bough_alloc(&id, s->ops, sizeof *id, m->error);
    for (unsigned i = 0; s->labels[i] && !status; i++) status = own_label(m, j, s->labels[i], &label[i]);
    TRY(own_label(m, j, "start", &waiting));
    for (uint32_t r = 0; r < s->ranks && !status; r++) {
        status = add_start(m, j, base + r, waiting, &start);
        for (uint32_t o = s->first[r]; o < s->first[r + 1] && !status; o++) {
            bough_op op = s->op[o];
            if (op.kind != BOUGH_OP_CALC && op.peer != BOUGH_ANY_RANK) op.peer += base;
            op.label = label[op.label];
            status = bough_schedule_add(m->builder, base + r, op, &id[o], m->error);
            if (!status && start != UINT32_MAX && s->waits[o] == 0)
                status = bough_schedule_wait(m->builder, id[o], start, false, m->error);
        }
    }
    for (uint32_t o = 0; o < s->ops && !status; o++)
        for (uint64_t f = s->then[o]; f < s->then[o + 1] && !status; f++)
            status =
                bough_schedule_wait(m->builder, id[s->follower[f] >> 1], id[o], s->follower[f] & 1, m->error);
    free(id);
    return status;
}

/* Adds all messages of a batch at once. */
static bough_status merge_batch(merger *m, const job *j, const part *p, uint32_t base) {
    uint32_t *start;
    uint8_t label, waiting;
    bough_status status = bough_alloc(&start, j->hosts, sizeof *start, m->error);
    TRY(own_label(m, j, "", &label));
    TRY(own_label(m, j, "start", &waiting));
    for (uint32_t r = 0; r < j->hosts && !status; r++) status = add_start(m, j, base + r, waiting, &start[r]);
    for (uint64_t i = 0; i < p->batch.count && !status; i++) {
        uint32_t from = p->batch.source[i], to = (uint32_t)bough_address_node(p->net, p->batch.address[i]);
        for (int side = 0; side < 2 && !status; side++) {
            uint32_t id, rank = side ? to : from;
            bough_op op = {.size = j->size,
                           .peer = base + (side ? from : to),
                           .label = label,
                           .kind = side ? BOUGH_OP_RECV : BOUGH_OP_SEND};
            status = bough_schedule_add(m->builder, base + rank, op, &id, m->error);
            if (!status && start[rank] != UINT32_MAX)
                status = bough_schedule_wait(m->builder, id, start[rank], false, m->error);
        }
    }
    free(start);
    return status;
}

/* What ranks have, [ranks] but for the jobs. */
typedef struct merged {
    uint32_t *endpoint, *node;
    bough_job *jobs;
    bough_host *host; /* [jobs] */
    uint8_t *job_of;
} merged;

static bool same_costs(const bough_host *a, const bough_host *b) {
    return a->o == b->o && a->g == b->g && a->O == b->O && a->S == b->S;
}

/* The costs of jobs, if some have others than all have. */
static bough_status list_costs(const merger *m, const bough_traffic *t, merged *all) {
    bough_host common;
    bool differ = false;
    uint32_t rank = 0;
    bough_status status = workload_host(t, &common, m->error);
    TRY(bough_alloc(&all->host, m->l->jobs, sizeof *all->host, m->error));
    TRY(bough_alloc(&all->job_of, m->ranks, sizeof *all->job_of, m->error));
    for (size_t i = 0; i < m->l->jobs && !status; i++) {
        all->host[i] = common;
        if (m->part[i].schedule) workload_set_costs(&m->part[i].traffic->args, &all->host[i]);
        differ |= !same_costs(&all->host[i], &common);
        for (uint32_t r = 0; r < m->part[i].ranks; r++) all->job_of[rank++] = (uint8_t)i;
    }
    if (status || differ) return status;
    FREE_ALL(all->host, all->job_of);
    all->host = NULL;
    all->job_of = NULL;
    return BOUGH_OK;
}

/* Jobs are on nodes of their own, as no message is between them. */
static bough_status merge(merger *m, const merged *all) {
    uint32_t base = 0;
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < m->l->jobs && !status; i++) {
        const job *j = &m->l->job[i];
        const part *p = &m->part[i];
        for (uint32_t r = 0; r < p->ranks; r++) {
            all->endpoint[base + r] = j->endpoint[p->endpoint ? p->endpoint[r] : r];
            all->node[base + r] = base + (p->node ? p->node[r] : r);
        }
        all->jobs[i] = (bough_job){.first = base, .ranks = p->ranks, .start_ps = j->start_ps};
        snprintf(all->jobs[i].name, sizeof all->jobs[i].name, "%s", j->name);
        status = p->schedule ? merge_schedule(m, j, p, base) : merge_batch(m, j, p, base);
        base += p->ranks;
    }
    return status;
}

static bough_status count_parts(merger *m, uint64_t key) {
    bough_status status = bough_alloc(&m->part, m->l->jobs, sizeof *m->part, m->error);
    for (size_t i = 0; i < m->l->jobs && !status; i++) {
        status = open_part(m, &m->l->job[i], key, &m->part[i]);
        if (status) {
            char why[sizeof m->error->reason];
            if (!m->error) return status;
            snprintf(why, sizeof why, "%.300s%s%.300s", m->error->place, *m->error->place ? ": " : "",
                     m->error->reason);
            snprintf(m->error->reason, sizeof m->error->reason, "%s", why);
            return job_list_at(m->l, &m->l->job[i], status, m->error);
        }
        m->ranks += m->part[i].ranks;
        m->ops = bough_add(m->ops, m->part[i].ops + m->part[i].ranks);
        m->waits = bough_add(m->waits, m->part[i].waits + m->part[i].ops);
    }
    return status;
}

static bough_status bind_jobs(merger *m, uint64_t key, bough_traffic *t) {
    bough_schedule *s = NULL;
    merged all = {0};
    bough_status status = count_parts(m, key);
    if (!status && m->ranks >= BOUGH_ANY_RANK)
        status = bough_fail(m->error, BOUGH_TOO_LARGE, m->l->file, "more than 2^32 ranks");
    TRY(bough_memory_check(ranks_room(m->ops, m->waits), "the schedule of the jobs and its execution",
                           m->error));
    TRY(bough_alloc(&all.endpoint, m->ranks, sizeof *all.endpoint, m->error));
    TRY(bough_alloc(&all.node, m->ranks, sizeof *all.node, m->error));
    TRY(bough_alloc(&all.jobs, m->l->jobs, sizeof *all.jobs, m->error));
    TRY(list_costs(m, t, &all));
    TRY(bough_schedule_begin(m->l->file, (uint32_t)m->ranks, &m->builder, m->error));
    if (!status) {
        status = bough_schedule_reserve(m->builder, m->ops, m->waits, m->error);
        TRY(merge(m, &all));
        if (status)
            bough_schedule_abandon(m->builder);
        else
            status = bough_schedule_finish(m->builder, &s, m->error);
    }
    for (size_t i = 0; m->part && i < m->l->jobs; i++) part_fini(&m->part[i]);
    free(m->part);
    if (!status) {
        bough_workload placed = {.schedule = s,
                                 .endpoint = all.endpoint,
                                 .node = all.node,
                                 .job = all.jobs,
                                 .job_host = all.host,
                                 .job_of = all.job_of,
                                 .jobs = (uint32_t)m->l->jobs};
        return workload_make_placed(&placed, t, m->error);
    }
    FREE_ALL(all.endpoint, all.node, all.jobs, all.host, all.job_of);
    return status;
}

static bough_status jobs_bind(bough_args *args, const bough_net *net, bough_traffic *t, bough_error *error) {
    const bough_value *v = args->value;
    bough_input input;
    job_list l = {0};
    bough_status status = bough_input_read(v[P_FILE].text, &input, error);
    if (status) return status;
    t->input_hash = input.hash;
    terminal_clean_all(&input);
    status = job_list_read(&input, &l, error);
    bough_input_fini(&input);
    TRY(job_list_place(&l, net, (uint64_t)v[P_KEY].integer, v[P_OVERLAP].integer, error));
    merger m = {.l = &l, .net = net, .args = args, .error = error};
    if (net->compute) TRY(net_hosts_make(net, &m.nodes, error));
    TRY(bind_jobs(&m, (uint64_t)v[P_KEY].integer, t));
    net_hosts_fini(&m.nodes);
    arena_fini(&l.memory);
    return status;
}

const bough_traffic_kind bough_traffic_jobs = {
    .name = "jobs",
    .summary = "several concurrent jobs, each with its own hosts and traffic",
    .source = "",
    .params = params,
    .shape = BOUGH_SCHEDULE,
    .bind = jobs_bind,
    .open = workload_open,
    .fini = workload_fini,
};
