/* Static load: the number of flows on a link if every message of a batch is one flow.
 *
 * Under an oblivious routing a flow loads one path. Under random selection the loads are expected values. On
 * trees that spread evenly, every link of one direction of a channel carries the same fraction, so counting
 * the messages that cross a channel is enough, even for a million endpoints. Elsewhere every branch of every
 * flow is followed. */
#include "base/memory/large_pages.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/thread_team.h"
#include "loads/all_pairs.h"
#include "loads/flow_spread.h"
#include "method/assumptions.h"
#include "method/rows.h"
#include "models/link_load/difficulty.h"
#include "models/link_load/link_loads.h"
#include "models/link_load/link_tally.h"
#include "models/link_load/message_loads.h"
#include "models/link_load/schedule_load.h"
#include "models/model_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { P_HISTOGRAM, P_LEVELS, P_ENGINE, P_RATE };

static const bough_param params[] = {
    [P_HISTOGRAM] = {"histogram", "report the number of links by load", BOUGH_FLAG, "0"},
    [P_LEVELS] = {"levels", "report the most loaded link of each level", BOUGH_FLAG, "0"},
    [P_ENGINE] =
        {"engine",
         "auto: by channels if the network spreads evenly, alltoall without listing its messages where "
         "routes do not depend on the source; generic: always flow by flow",
         BOUGH_CHOICE, "auto", .choices = "auto|generic"},
    [P_RATE] = {"rate",
                "schedules: rate of all links; default: the network's and those of the physical setting",
                BOUGH_RATE, "", 1e6, 1e15},
    BOUGH_PARAMS_END,
};

typedef struct workspace {
    difficulty_space difficulty;
    double *load;        /* per link; generic only */
    double *level;       /* NULL: not requested */
    uint64_t *histogram; /* the same */
} workspace;

static bool by_channels(const bough_run *run) {
    return !run->point.traffic->law && run->args.value[P_ENGINE].integer == 0 &&
           (run->point.net->capabilities & BOUGH_HAS_EVEN) &&
           (run->point.net->capabilities & BOUGH_HAS_CHANNELS) && run->point.routing->kind->even &&
           !run->point.net->dead && !(run->point.net->speeds && run->point.net->speeds->rate);
}

/* Whether all pairs need not be listed. */
static bool counts_pairs(const bough_run *run) {
    return run->point.traffic->all_pairs && run->args.value[P_ENGINE].integer == 0 &&
           (by_channels(run) || all_pairs_fit(run->point.routing));
}

/* Loads are counts that threads may add up in any order. */
static bool divides(const bough_run *run) {
    return !by_channels(run) && (counts_pairs(run) || bough_routing_deterministic(run->point.routing));
}

static unsigned threads_of(const bough_run *run) {
    return run->parallel && run->threads ? run->threads : 1;
}

/* Whether all loads are found without an array of them. */
static bool counts_directly(const bough_run *run) {
    return !by_channels(run) && counts_pairs(run) && all_pairs_direct(run->point.routing);
}

typedef struct clearing {
    double *load;
    uint64_t links;
} clearing;

static void clear_range(void *context, unsigned thread, uint64_t range) {
    const clearing *c = context;
    const uint64_t first = range * LINK_RANGE, most = c->links - first;
    (void)thread;
    memset(c->load + first, 0, (most < LINK_RANGE ? most : LINK_RANGE) * sizeof *c->load);
}

/* Tallies loads that are held in an array. b: NULL: all pairs. */
static bough_status count_held(const method_trial *trial, const bough_batch *b, double *load,
                               link_tallies *tallies, bough_error *error) {
    const bough_run *run = trial->run;
    const uint64_t links = run->point.net->links;
    double *unrouted = &tallies->of[0].tally.unrouted;
    bough_status status;
    if (b) {
        const message_question question = {run, trial->key, b, run->parallel, tallies->threads};
        status = message_loads(&question, load, unrouted, error);
    } else {
        team_loop(tallies->threads, link_ranges(links), clear_range, &(clearing){load, links});
        status = all_pairs_loads(&(all_pairs_question){run->point.routing, tallies->threads, run->stop}, load,
                                 unrouted, error);
    }
    if (!status) link_tallies_add(tallies, load);
    return status;
}

/* Adds the loads of all links to the tally. b: NULL: all pairs. */
static bough_status tally_loads(const method_trial *trial, const bough_batch *b, double *load, link_tally *t,
                                bough_error *error) {
    const bough_run *run = trial->run;
    link_tallies all = {0};
    bough_status status = link_tallies_make(&all, run, threads_of(run), t, error);
    if (!status && counts_directly(run))
        status = all_pairs_each(&(all_pairs_question){run->point.routing, all.threads, run->stop},
                                link_tallies_count, &all, error);
    else if (!status)
        status = count_held(trial, b, load, &all, error);
    if (!status) link_tallies_join(&all, t);
    link_tallies_fini(&all);
    return status;
}

/* For schedules: bytes, regardless of dependencies. */
static bough_status open_schedule(bough_run *run, bough_error *error) {
    const bough_net *net = run->point.net;
    const bough_value *v = run->args.value;
    if (v[P_HISTOGRAM].integer || v[P_LEVELS].integer)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "linkload: histogram=1 and levels=1 count flows of a batch, but %s is a schedule",
                          run->point.traffic->spec);
    run->bytes = bough_mul(net->links, 8);
    run_assume_links(run, (uint64_t)v[P_RATE].integer);
    run_assume_sizes(run, 1);
    run_assume_hosts(run);
    return BOUGH_OK;
}

static void find_memory(bough_run *run) {
    const bough_net *net = run->point.net;
    if (run->point.traffic->law) {
        run->bytes = bough_mul(net->links, 8);
        return;
    }
    const uint64_t loads = bough_mul(net->links, 8), messages = bough_mul(run->point.traffic->messages, 8);
    /* Sums of shares depend on their order. */
    run->parallel = divides(run);
    if (net->capabilities & BOUGH_HAS_CHANNELS) {
        run->bytes = difficulty_bytes(net);
        if (run->parallel) run->bytes_each = difficulty_bytes_each(net);
    }
    if (!counts_pairs(run)) run->bytes = bough_add(run->bytes, messages);
    if (by_channels(run) || counts_directly(run)) return; /* loads are not held */
    if (counts_pairs(run)) {
        const uint64_t each = bough_add(loads, all_pairs_bytes(run->point.routing));
        run->bytes = bough_add(run->bytes, each);
        run->bytes_each = bough_add(run->bytes_each, each);
    } else if (run->parallel) {
        message_loads_memory(run);
    } else {
        run->bytes = bough_add(run->bytes, loads);
    }
}

static bough_status linkload_open(bough_run *run, bough_error *error) {
    bough_status status = spread_check(run->point.routing, "linkload", error);
    if (status) return status;
    if (run->point.traffic->shape == BOUGH_SCHEDULE) return open_schedule(run, error);
    if (run->point.traffic->shape == BOUGH_STREAM && !run->point.traffic->law)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "linkload does not accept messages with times; %s has some",
                          run->point.traffic->spec);
    if (run->args.value[P_RATE].given)
        return bough_fail(error, BOUGH_INVALID, NULL, "linkload: rate= applies to schedules; %s is not one",
                          run->point.traffic->spec);
    find_memory(run);
    return BOUGH_OK;
}

static bough_status make(const bough_run *run, void **space, bough_error *error) {
    const bough_net *net = run->point.net;
    workspace *w;
    bough_status status = bough_alloc(space, 1, sizeof *w, error);
    if (status) return status;
    w = *space;
    if (run->args.value[P_LEVELS].integer)
        status = bough_alloc(&w->level, (uint64_t)net->levels + 1, sizeof *w->level, error);
    if (net->capabilities & BOUGH_HAS_CHANNELS) TRY(difficulty_make(net, &w->difficulty, error));
    if (run->point.traffic->shape == BOUGH_SCHEDULE || !(by_channels(run) || counts_directly(run)))
        TRY(bough_alloc(&w->load, net->links, sizeof *w->load, error));
    if (!status && w->load) large_advise(w->load, net->links * sizeof *w->load);
    if (!status && run->args.value[P_HISTOGRAM].integer)
        status = bough_alloc(&w->histogram, LINK_HISTOGRAM_MAX, sizeof *w->histogram, error);
    return status;
}

static void linkload_free(void *space) {
    workspace *w = space;
    if (!w) return;
    difficulty_fini(&w->difficulty);
    FREE_ALL(w->load, w->level, w->histogram, w);
}

static bough_status report(const bough_run *run, const link_tally *t, const difficulty *d, bough_rows *rows,
                           bough_error *error) {
    const bough_net *net = run->point.net;
    const bool flow_by_flow = !by_channels(run);
    const bool channels = (net->capabilities & BOUGH_HAS_CHANNELS) && !run->point.traffic->law;
    const optional_row lines[] = {
        {true, BOUGH_METRIC_LINK_LOAD_MAX, t->max},
        {true, BOUGH_METRIC_LINK_LOAD_MEAN, t->used ? t->sum / (double)t->used : 0},
        {true, BOUGH_METRIC_LINK_LOAD_UNUSED, (double)t->unused},
        {channels, BOUGH_METRIC_LOAD_FACTOR, d->load_factor},
        {channels, BOUGH_METRIC_LAMBDA_A, d->ascending},
        {channels, BOUGH_METRIC_LAMBDA_D, d->descending},
        {channels, BOUGH_METRIC_ETA, d->eta},
        {channels, BOUGH_METRIC_DEGREE, (double)d->degree},
        {flow_by_flow && (net->capabilities & BOUGH_HAS_RATES), BOUGH_METRIC_LINK_TIME_MAX, t->time_max},
        {t->unrouted > 0, BOUGH_METRIC_UNROUTED, t->unrouted},
    };
    bough_status status = rows_add_present(rows, lines, sizeof lines / sizeof *lines, error);
    for (unsigned l = 0; l < net->levels && t->level && !status; l++)
        status = bough_rows_add(rows, BOUGH_METRIC_LINK_LOAD_LEVEL, l, t->level[l], error);
    for (uint64_t k = 0; k <= t->highest && t->histogram && !status; k++)
        status =
            bough_rows_add(rows, BOUGH_METRIC_LINK_LOAD_COUNT, (int64_t)k, (double)t->histogram[k], error);
    if (t->unrouted > 0 && run->point.traffic->law) {
        rows->outcome = BOUGH_RUN_PARTIAL;
        snprintf(rows->note, sizeof rows->note,
                 "%.6g of the messages, one per endpoint, do not arrive; they load the links that they reach",
                 t->unrouted);
    } else if (t->unrouted > 0) {
        rows->outcome = BOUGH_RUN_PARTIAL;
        const bool one = t->messages == 1;
        snprintf(rows->note, sizeof rows->note,
                 "%.6g of %" PRIu64 " message%s not arrive; %s the links that %s", t->unrouted, t->messages,
                 one ? " does" : "s do", one ? "it loads" : "they load", one ? "it reaches" : "they reach");
    }
    return status;
}

static bough_status schedule_trial(const method_trial *trial, double *load, bough_rows *rows,
                                   bough_error *error) {
    const bough_run *run = trial->run;
    const bough_net *net = run->point.net;
    char name[128];
    bool ranks = run->point.traffic->workload; /* a list has none */
    schedule_load f;
    bough_status status =
        schedule_load_find(trial, (uint64_t)run->args.value[P_RATE].integer, load, &f, error);
    bool ends = !ranks || f.unrouted == 0;
    double host = (double)(f.cpu > f.chain ? f.cpu : f.chain) / 1e12;
    const optional_row lines[] = {
        {ends, BOUGH_METRIC_BOUND_TIME, f.link_time > host ? f.link_time : host},
        {ends, BOUGH_METRIC_BOUND_LINK, f.link_time},
        {ends && ranks, BOUGH_METRIC_BOUND_CPU, (double)f.cpu / 1e12},
        {ends && ranks, BOUGH_METRIC_BOUND_CHAIN, (double)f.chain / 1e12},
        {ends, BOUGH_METRIC_LINK_BYTES_MAX, f.bytes_max},
        {ends, BOUGH_METRIC_LINK_BYTES_MEAN, f.bytes_mean},
        {true, BOUGH_METRIC_MESSAGES, f.messages},
        {f.unrouted > 0, BOUGH_METRIC_UNROUTED, f.unrouted},
    };
    TRY(rows_add_present(rows, lines, sizeof lines / sizeof *lines, error));
    if (f.unrouted > 0) {
        rows->outcome = ends ? BOUGH_RUN_PARTIAL : BOUGH_RUN_HANGS;
        snprintf(rows->note, sizeof rows->note, "%.6g of %.6g messages do not arrive%s", f.unrouted,
                 f.messages, ends ? "; the bound is of the others" : ", and their ranks never finish");
    } else if (f.link != BOUGH_NONE) {
        snprintf(rows->note, sizeof rows->note, "the slowest link is %s",
                 bough_link_name(net, f.link, name, sizeof name));
    }
    return status;
}

/* The expected loads of a stream. */
static bough_status tally_stream(const method_trial *trial, double *load, link_tally *t, bough_error *error) {
    const bough_run *run = trial->run;
    const link_loads_question question = {run->point.routing, run->point.traffic, trial->key, 1};
    link_loads loads = {.flows = load, .stop = run->stop};
    link_tallies all = {0};
    bough_status status = link_tallies_make(&all, run, 1, t, error);
    TRY(link_loads_find(&question, &loads, error));
    if (!status) {
        link_tallies_add(&all, load);
        link_tallies_join(&all, t);
        t->unrouted = loads.lost;
    }
    link_tallies_fini(&all);
    return status;
}

static void clear_tallies(const bough_run *run, const workspace *w) {
    if (w->level) memset(w->level, 0, (run->point.net->levels + 1) * sizeof *w->level);
    if (w->histogram) memset(w->histogram, 0, LINK_HISTOGRAM_MAX * sizeof *w->histogram);
}

static bough_status stream_trial(const method_trial *trial, const workspace *w, bough_rows *rows,
                                 bough_error *error) {
    link_tally t = {.level = w->level, .histogram = w->histogram};
    clear_tallies(trial->run, w);
    bough_status status = tally_stream(trial, w->load, &t, error);
    return status ? status : report(trial->run, &t, &(difficulty){0}, rows, error);
}

static bough_status linkload_trial(const bough_run *run, bough_key key, void **space, bough_rows *rows,
                                   bough_error *error) {
    const bough_net *net = run->point.net;
    bough_batch batch;
    bough_status status = *space ? BOUGH_OK : make(run, space, error);
    if (status) return status;
    workspace *w = *space;
    if (run->point.traffic->shape == BOUGH_SCHEDULE)
        return schedule_trial(&(method_trial){run, key}, w->load, rows, error);
    if (run->point.traffic->law) return stream_trial(&(method_trial){run, key}, w, rows, error);
    const bough_batch *listed = counts_pairs(run) ? NULL : &batch;
    if (listed) status = bough_batch_read(run->point.traffic, key, &batch, error);
    if (status) return status;
    clear_tallies(run, w);
    link_tally t = {.level = w->level,
                    .histogram = w->histogram,
                    .messages = listed ? batch.count : run->point.traffic->messages};
    difficulty d = {0};
    const difficulty_question question = {run, listed, threads_of(run), by_channels(run) ? &t : NULL};
    if (net->capabilities & BOUGH_HAS_CHANNELS)
        status = difficulty_measure(&question, &w->difficulty, &d, error);
    if (!by_channels(run)) TRY(tally_loads(&(method_trial){run, key}, listed, w->load, &t, error));
    if (listed) bough_batch_fini(&batch);
    if (status) return status;
    if (bough_run_stopped(run)) return bough_fail(error, BOUGH_INTERRUPTED, NULL, "interrupted");
    return report(run, &t, &d, rows, error);
}

static bough_status linkload_links(const bough_run *run, bough_key key, bough_link_loads *loads,
                                   bough_error *error) {
    const bough_net *net = run->point.net;
    const uint64_t rate = (uint64_t)run->args.value[P_RATE].integer;
    const link_loads_question question = {run->point.routing, run->point.traffic, key, 1};
    loads->sized = link_loads_sized(run->point.traffic);
    for (uint64_t l = 0; l < net->links; l++)
        loads->rate[l] = (double)(rate ? bough_net_slowed_rate(net, l, rate) : bough_net_link_rate(net, l));
    return link_loads_find(&question, &(link_loads){loads->flows, loads->sized ? loads->bytes : NULL}, error);
}

const bough_method bough_method_linkload = {
    .name = "linkload",
    .summary = "flows per link and load factor, exactly (expected values under random selection)",
    .source = "Leiserson: Fat-trees, 1985 (load factor); bay1991, section 2 (eta, degree); Zahavi, 2010",
    .params = params,
    .headline = BOUGH_METRIC_LINK_LOAD_MAX,
    .needs_net = BOUGH_HAS_ROUTES,
    .needs_traffic = 1 << BOUGH_BATCH | 1 << BOUGH_STREAM | 1 << BOUGH_SCHEDULE,
    .reads_law = true,
    .needs_routing = true,
    .takes_via = true,
    .assumes = BOUGH_ASSUMES_ONE_SIZE,
    .random_links = "counts the expected share of each path",
    .takes_lost = true,
    .exact = true,
    .open = linkload_open,
    .trial = linkload_trial,
    .free_workspace = linkload_free,
    .links = linkload_links,
};
