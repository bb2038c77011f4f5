#include "traffic/jobs/job_place.h"

#include "base/memory/memory.h"
#include "base/random/random.h"
#include "base/status/try.h"
#include "base/text/spec.h"
#include "base/text/text.h"
#include "network/hosts.h"
#include "traffic/endpoint_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct ground {
    endpoints all; /* of the network */
    const bough_net *net;
    const net_hosts *hosts; /* NULL: of one endpoint each */
    job_list *l;
    bool *taken;      /* [endpoints] */
    uint32_t *listed; /* [hosts]: how often the list that is read names it */
    uint64_t key;
    bool overlap;
    bough_error *error;
} ground;

/* Endpoints that are given to a job together: those of a host, the GPUs of a compute node. */
static uint32_t unit_size(const ground *g, uint64_t unit) {
    return g->hosts          ? rows_count(&g->hosts->endpoints, (uint32_t)unit)
           : g->net->compute ? g->net->compute->setting->gpus
                             : 1;
}

static uint64_t count_units(const ground *g) {
    return g->hosts ? g->hosts->count : bough_net_hosts(g->net) / unit_size(g, 0);
}

static uint32_t unit_endpoint(const ground *g, uint64_t unit, uint32_t i) {
    return g->hosts ? g->hosts->endpoints.item[g->hosts->endpoints.first[unit] + i]
                    : (uint32_t)(unit * unit_size(g, unit) + i);
}

static bool is_free(const ground *g, uint64_t unit) {
    for (uint32_t i = 0; i < unit_size(g, unit); i++)
        if (g->taken[unit_endpoint(g, unit, i)]) return false;
    return true;
}

static void give(const ground *g, job *j, uint32_t *got, uint64_t unit) {
    for (uint32_t i = 0; i < unit_size(g, unit) && *got < j->hosts; i++)
        j->endpoint[(*got)++] = unit_endpoint(g, unit, i);
}

#define FAIL_JOB(...) job_list_at(g->l, j, bough_fail(g->error, BOUGH_INVALID, NULL, __VA_ARGS__), g->error)

/* Allocates the hosts of a job if enough endpoints are free. */
static bough_status make_room(ground *g, job *j) {
    uint64_t count = 0;
    for (uint64_t u = 0; u < count_units(g); u++) count += is_free(g, u) ? unit_size(g, u) : 0;
    if (count < j->hosts)
        return FAIL_JOB("job %.60s has %" PRIu32 " host%s, and %" PRIu64 " of %" PRIu64 " endpoints are free",
                        j->name, j->hosts, bough_s(j->hosts), count, bough_net_hosts(g->net));
    return arena_alloc(&g->l->memory, &j->endpoint, j->hosts, sizeof *j->endpoint, g->error);
}

static bough_status place_stride(ground *g, job *j, uint64_t stride) {
    uint32_t got = 0;
    uint64_t units = count_units(g);
    bough_status status = make_room(g, j);
    for (uint64_t from = 0; from < stride && got < j->hosts && !status; from++)
        for (uint64_t u = from; u < units && got < j->hosts; u += stride)
            if (is_free(g, u)) give(g, j, &got, u);
    return status;
}

static bough_status place_random(ground *g, job *j) {
    uint32_t *free_ones, count = 0, got = 0;
    uint64_t units = count_units(g);
    bough_status status = make_room(g, j);
    TRY(bough_alloc(&free_ones, units, sizeof *free_ones, g->error));
    if (status) return status;
    for (uint64_t u = 0; u < units; u++)
        if (is_free(g, u)) free_ones[count++] = (uint32_t)u;
    bough_stream stream =
        bough_stream_make(bough_key_make(g->key, 0), BOUGH_DRAW_PLACE, (uint64_t)(j - g->l->job) + 1, 0);
    for (uint32_t i = 0; got < j->hosts; i++) {
        uint32_t other = i + (uint32_t)bough_stream_below(&stream, count - i);
        give(g, j, &got, free_ones[other]);
        free_ones[other] = free_ones[i];
    }
    free(free_ones);
    return BOUGH_OK;
}

typedef struct listing {
    uint32_t got; /* the length of the list may differ from the number of hosts */
} listing;

/* host: the endpoint stands for its host, of which it is the first. */
static bough_status take_listed(ground *g, job *j, uint64_t endpoint, bool host, listing *l) {
    char name[160];
    if (g->hosts) {
        const uint32_t unit = g->hosts->of[endpoint], times = g->listed[unit]++;
        if (host) endpoint = unit_endpoint(g, unit, times % unit_size(g, unit));
    }
    if (l->got == j->hosts)
        return FAIL_JOB("the list has more endpoints than the %" PRIu32 " hosts", j->hosts);
    if (g->taken[endpoint] && !g->overlap)
        return FAIL_JOB("endpoint %s is used by another job or listed twice; overlap=1 allows this",
                        bough_node_name(g->net, endpoint, name, sizeof name));
    bough_status status =
        arena_grow(&g->l->memory, &j->endpoint, l->got + UINT64_C(1), sizeof *j->endpoint, g->error);
    if (status) return status;
    j->endpoint[l->got++] = (uint32_t)endpoint;
    if (!g->overlap) g->taken[endpoint] = true;
    return BOUGH_OK;
}

static bool is_number(const char *text, size_t length) {
    return length && strspn(text, "0123456789") >= length;
}

/* "7", "0-7", "node003", "node003/mlx5_1" */
static bough_status take_word(ground *g, job *j, const char *word, listing *l) {
    const char *dash = strchr(word, '-'), *to = dash ? dash + 1 : word,
               *what = g->hosts ? "host" : "endpoint";
    const bool range = dash && is_number(word, (size_t)(dash - word)) && is_number(to, strlen(to));
    const bool number = range || is_number(word, strlen(word));
    const uint64_t first = strtoull(word, NULL, 10), last = strtoull(to, NULL, 10);
    uint64_t endpoint;
    char name[160];
    if (range && last < first)
        return FAIL_JOB("'%.40s' is not an endpoint or range of endpoints such as 0-7", word);
    bough_status status = endpoints_find(&g->all, range ? to : word, what, &endpoint, g->error);
    if (status) return job_list_at(g->l, j, status, g->error);
    if (!number)
        return take_listed(g, j, endpoint,
                           g->hosts && strcmp(net_host_name(g->net, endpoint, name, sizeof name), word) == 0,
                           l);
    for (uint64_t n = first; n <= last && !status; n++)
        status = take_listed(g, j, net_numbered(g->net, n), true, l);
    return status;
}

/* "0-7 16 node003" */
static bough_status place_list(ground *g, job *j, char *text) {
    listing l = {0};
    bough_status status = BOUGH_OK;
    for (char *rest = text, *word; !status && (word = strtok_r(rest, " ", &rest));)
        status = take_word(g, j, word, &l);
    for (uint32_t i = 0; i < l.got && g->hosts; i++) g->listed[g->hosts->of[j->endpoint[i]]] = 0;
    if (status || l.got == j->hosts) return status;
    return FAIL_JOB("the list has %" PRIu32 " endpoint%s for %" PRIu32 " host%s", l.got, bough_s(l.got),
                    j->hosts, bough_s(j->hosts));
}

static bough_status place(ground *g, job *j) {
    int64_t stride = 0;
    bough_status status = BOUGH_OK;
    if (strcmp(j->place, "linear") == 0)
        status = place_stride(g, j, 1);
    else if (strcmp(j->place, "random") == 0)
        status = place_random(g, j);
    else if (strncmp(j->place, "list=", 5) == 0)
        status = place_list(g, j, j->place + 5);
    else if (strncmp(j->place, "stride=", 7) == 0) {
        status = job_list_at(g->l, j, bough_parse_int(j->place + 7, "stride", &stride, g->error), g->error);
        if (!status && stride < 1) return FAIL_JOB("stride %" PRId64 " is too small", stride);
        TRY(place_stride(g, j, (uint64_t)stride));
    } else {
        return FAIL_JOB("unknown place '%.40s'; expected linear, random, stride=K, list=0-7 9", j->place);
    }
    for (uint32_t i = 0; i < j->hosts && !status; i++) g->taken[j->endpoint[i]] = true;
    return status;
}

bough_status job_list_place(job_list *l, const bough_net *net, uint64_t key, bool overlap,
                            bough_error *error) {
    const bool several = net_several(net);
    ground g = {.all.net = net,
                .net = net,
                .hosts = several ? net->hosts : NULL,
                .l = l,
                .key = key,
                .overlap = overlap,
                .error = error};
    bough_status status = bough_alloc(&g.taken, bough_net_hosts(net), sizeof *g.taken, error);
    if (several) TRY(bough_alloc(&g.listed, g.hosts->count, sizeof *g.listed, error));
    for (int listed = 1; listed >= 0; listed--)
        for (size_t i = 0; i < l->jobs && !status; i++)
            if ((strncmp(l->job[i].place, "list=", 5) == 0) == listed) status = place(&g, &l->job[i]);
    endpoints_fini(&g.all);
    FREE_ALL(g.taken, g.listed);
    return status;
}
