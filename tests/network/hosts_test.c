/* Hosts of fabrics with 1 to 8 endpoints each, in any order of the file: which endpoints are of one host,
 * what numbers in lists mean, where ranks, rails and compute nodes are, and what their cables carry. The test
 * keeps the host of each cable beside it. */
#include "network/hosts.h"

#include "base/random/random.h"
#include "base/text/text.h"
#include "network/physical/physical.h"
#include "support/draws.h"
#include "support/fabrics.h"
#include "support/points.h"
#include "traffic/schedules/schedule.h"
#include "traffic/traffic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { HOSTS = 12, NICS = 8 };

typedef struct machines {
    uint64_t trial;
    unsigned hosts, nics[HOSTS]; /* of a host */
    bough_net *net;
} machines;

static unsigned draw(uint64_t trial, uint64_t purpose, unsigned below) {
    return (unsigned)bough_scale(bough_word(bough_key_make(2, trial), BOUGH_DRAW_TEST, purpose, 0), below);
}

/* NIC i of each host has a cable to switch i. Adapters are "n3 mlx5_10"; the last hosts come first in the
 * file. */
static machines make(uint64_t trial) {
    machines m = {.trial = trial, .hosts = 2 + draw(trial, 0, HOSTS - 1)};
    char row[HOSTS * NICS][64];
    unsigned rows = 0;
    for (unsigned h = 0; h < m.hosts; h++) {
        m.nics[h] = trial % 2 ? 1 + draw(trial, 1 + h, NICS) : 1 + draw(trial, 1, NICS);
        for (unsigned k = 0; k < m.nics[h]; k++)
            snprintf(row[rows++], sizeof row[0], "n%u mlx5_%u,leaf%u,host\n", h, 2 * k + 3, k);
    }
    for (unsigned i = rows; i > 1; i--) {
        const unsigned k = draw(trial, 100 + i, i);
        char other[64];
        memcpy(other, row[k], sizeof other);
        memcpy(row[k], row[i - 1], sizeof other);
        memcpy(row[i - 1], other, sizeof other);
    }
    bough_text text = {0};
    bough_fabric f;
    bough_error error = {0};
    bough_text_put(&text, "node,node,kind\n");
    for (unsigned i = 0; i < rows; i++) bough_text_put(&text, row[i]);
    for (unsigned k = 0; k < NICS; k++) bough_text_printf(&text, "leaf%u,spine,switch\n", k);
    if (bough_fabric_parse("f", text.data, text.length, &f, &error) ||
        bough_net_from_fabric(&f, NULL, "f", &m.net, &error))
        fail_msg("%s\n%s", error.reason, text.data);
    bough_text_fini(&text);
    return m;
}

/* Host and NIC of an endpoint, by its name. */
static void name_of(const machines *m, uint64_t endpoint, unsigned *host, unsigned *nic) {
    char name[64];
    bough_node_name(m->net, endpoint, name, sizeof name);
    *nic = 0;
    if (sscanf(name, "n%u/mlx5_%u", host, nic) == 2)
        *nic = (*nic - 3) / 2;
    else
        assert_int_equal(sscanf(name, "n%u", host), 1); /* its only one */
}

static void endpoints_are_grouped(void **state) {
    (void)state;
    for (uint64_t trial = 0; trial < 200; trial++) {
        machines m = make(trial);
        const net_hosts *h = m.net->hosts;
        assert_int_equal(h->count, m.hosts);
        uint32_t last = 0;
        for (uint32_t i = 0; i < h->count; i++) {
            unsigned host = 0, nic, first = UINT32_MAX;
            for (uint32_t k = 0; k < rows_count(&h->endpoints, i); k++) {
                const uint32_t e = h->endpoints.item[h->endpoints.first[i] + k];
                unsigned own;
                name_of(&m, e, &own, &nic);
                if (k == 0) host = own;
                assert_int_equal(own, host);
                assert_int_equal(nic, k);
                assert_int_equal(h->of[e], i);
                if (e < first) first = e;
            }
            assert_int_equal(rows_count(&h->endpoints, i), m.nics[host]);
            assert_true(i == 0 || first > last); /* in the order of first endpoints */
            last = first;
        }
        bough_net_destroy(m.net);
    }
}

/* Rank r is on the r / gpus-th host that has enough NICs, at the one that its place on the host says. */
static void ranks_are_on_hosts(void **state) {
    (void)state;
    for (uint64_t trial = 0; trial < 200; trial++) {
        machines m = make(trial);
        const unsigned rails = 1 + draw(trial, 300, NICS), gpus = rails * (1 + draw(trial, 301, 3));
        unsigned room = 0;
        for (unsigned h = 0; h < m.hosts; h++) room += m.nics[h] >= rails;
        char spec[100];
        bough_traffic *t;
        bough_error error;
        if (room == 0 || gpus == 1 || m.net->hosts->most == 1) {
            bough_net_destroy(m.net);
            continue;
        }
        snprintf(spec, sizeof spec, "allreduce:ranks=%u,gpus=%u,rails=%u", room * gpus, gpus, rails);
        if (bough_traffic_create(m.net, spec, &t, &error)) fail_msg("%s: %s", spec, error.reason);
        uint32_t at = 0;
        for (unsigned r = 0; r < room * gpus; r++) {
            unsigned host, nic;
            const net_hosts *h = m.net->hosts;
            while (rows_count(&h->endpoints, at) < rails) at++;
            assert_int_equal(h->of[t->workload->endpoint[r]], at);
            name_of(&m, t->workload->endpoint[r], &host, &nic);
            assert_int_equal(nic, r % gpus * rails / gpus);
            if (r % gpus == gpus - 1) at++;
        }
        bough_traffic_destroy(t);
        snprintf(spec, sizeof spec, "allreduce:ranks=%u,gpus=%u,rails=%u", room * gpus + 1, gpus, rails);
        assert_int_equal(bough_traffic_create(m.net, spec, &t, &error), BOUGH_INVALID);
        bough_net_destroy(m.net);
    }
}

/* Ranks of a file of places are on one node where their endpoints are of one host, whatever their numbers. */
static void placed_ranks_share_hosts(void **state) {
    (void)state;
    for (uint64_t trial = 0; trial < 50; trial++) {
        machines m = make(trial);
        const net_hosts *h = m.net->hosts;
        const uint32_t ranks = (uint32_t)m.net->endpoints;
        bough_text text = {0};
        bough_traffic *t;
        bough_error error;
        char spec[300], name[64];
        for (uint32_t r = 0; r < ranks && h->most > 1; r++) {
            const uint32_t e =
                (uint32_t)(((uint64_t)r * 7 + trial) % ranks); /* several ranks may share one */
            bough_text_printf(&text, "%u %s\n", r, bough_node_name(m.net, e, name, sizeof name));
        }
        if (h->most > 1) {
            snprintf(spec, sizeof spec, "allreduce:ranks=%u,gpus=2,place=%s", ranks,
                     temporary_file("ranks.place", text.data, text.length));
            if (bough_traffic_create(m.net, spec, &t, &error)) fail_msg("%s: %s", spec, error.reason);
            const bough_workload *w = t->workload;
            for (uint32_t a = 0; a < ranks; a++)
                for (uint32_t b = 0; b < ranks; b++)
                    assert_true((w->node[a] == w->node[b]) ==
                                (h->of[w->endpoint[a]] == h->of[w->endpoint[b]]));
            bough_traffic_destroy(t);
        }
        bough_text_fini(&text);
        bough_net_destroy(m.net);
    }
}

static void compute_nodes_are_hosts(void **state) {
    (void)state;
    for (uint64_t trial = 0; trial < 200; trial++) {
        machines m = make(trial);
        const unsigned nics = 1 + draw(trial, 400, NICS);
        unsigned nodes = 0;
        bough_node_setting *setting;
        bough_net *gpus;
        bough_error error;
        char spec[60];
        for (unsigned h = 0; h < m.hosts; h++) nodes += m.nics[h] >= nics;
        if (nodes && m.net->hosts->most > 1) {
            snprintf(spec, sizeof spec, "dgx-h100:gpus=%u,nics=%u", 2 * nics, nics);
            assert_int_equal(bough_node_setting_create(spec, &setting, &error), BOUGH_OK);
            assert_int_equal(bough_compute_nodes_create(m.net, setting, &gpus, &error), BOUGH_OK);
            assert_int_equal(gpus->endpoints, 2 * nics * nodes);
            assert_int_equal(bough_net_check(gpus, 10000, &error), BOUGH_OK);
            for (uint64_t g = 0; g < gpus->endpoints; g++) {
                unsigned host, nic, first;
                name_of(&m, bough_gpu_nic(gpus->compute, g / (2 * nics) * 2 * nics), &first, &nic);
                name_of(&m, bough_gpu_nic(gpus->compute, g), &host, &nic);
                assert_int_equal(host, first);
                assert_int_equal(nic, g % (2 * nics) / 2);
            }
            bough_net_destroy(gpus);
            bough_node_setting_destroy(setting);
        }
        bough_net_destroy(m.net);
    }
}

/* Where hosts have several endpoints, a number is one of a host, and so is its name. */
static void numbers_are_hosts(void **state) {
    (void)state;
    for (uint64_t trial = 0; trial < 50; trial++) {
        machines m = make(2 * trial);
        const net_hosts *h = m.net->hosts;
        const uint32_t last = h->count - 1;
        char list[200], spec[300], name[64];
        bough_traffic *t;
        bough_error error;
        if (h->most == 1) {
            bough_net_destroy(m.net);
            continue;
        }
        net_host_name(m.net, h->endpoints.item[h->endpoints.first[last]], name, sizeof name);
        snprintf(list, sizeof list, "source,destination\n0,%u\n%s,0\n", last, name);
        snprintf(spec, sizeof spec, "messages:%s", temporary_file("hosts.csv", list, 0));
        if (bough_traffic_create(m.net, spec, &t, &error)) fail_msg("%s", error.reason);
        bough_message *message = first_messages(t, 0, 2);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(h->of[message[i].source], i ? last : 0);
            assert_int_equal(h->of[bough_address_node(m.net, message[i].address)], i ? 0 : last);
        }
        free(message);
        bough_traffic_destroy(t);
        snprintf(list, sizeof list, "source,destination\n0,%u\n", last + 1);
        snprintf(spec, sizeof spec, "messages:%s", temporary_file("hosts.csv", list, 0));
        assert_int_equal(bough_traffic_create(m.net, spec, &t, &error), BOUGH_INVALID);
        assert_non_null(strstr(error.reason, "hosts, counted from 0"));
        bough_net_destroy(m.net);
    }
}

/* A list of jobs names hosts by number or name, and endpoints by name; ranks of one host are on one node. */
static void jobs_are_on_hosts(void **state) {
    (void)state;
    for (uint64_t trial = 0; trial < 100; trial++) {
        machines m = make(trial);
        const net_hosts *h = m.net->hosts;
        uint32_t want[2 * HOSTS * NICS], ranks = 0;
        bough_text text = {0};
        bough_traffic *t;
        bough_error error;
        char spec[300], name[64];
        bough_text_put(&text, "traffic,hosts,place\n");
        for (unsigned job = 0; job < 2; job++) {
            const uint32_t first = job ? 0 : h->count / 2, last = job ? h->count / 2 : h->count,
                           before = ranks;
            bough_text list = {0}; /* of hosts from the last on, each with all its endpoints */
            for (uint32_t i = last; i-- > first;)
                for (uint32_t k = 0; k < rows_count(&h->endpoints, i); k++) {
                    const uint32_t e = h->endpoints.item[h->endpoints.first[i] + k];
                    want[ranks++] = e;
                    if ((i + trial) % 3 == 0)
                        bough_text_printf(&list, " %s", bough_node_name(m.net, e, name, sizeof name));
                    else if ((i + trial) % 3 == 1)
                        bough_text_printf(&list, " %s", net_host_name(m.net, e, name, sizeof name));
                    else
                        bough_text_printf(&list, " %u", i);
                }
            if (ranks - before < 2)
                ranks = before;
            else
                bough_text_printf(&text, "alltoall,%u,list=%s\n", ranks - before, list.data + 1);
            bough_text_fini(&list);
        }
        if (h->most > 1 && ranks) {
            snprintf(spec, sizeof spec, "jobs:%s", temporary_file("jobs.csv", text.data, text.length));
            if (bough_traffic_create(m.net, spec, &t, &error))
                fail_msg("%s: %s\n%s", error.place, error.reason, text.data);
            assert_int_equal(t->workload->schedule->ranks, ranks);
            for (uint32_t r = 0; r < ranks; r++) assert_int_equal(t->workload->endpoint[r], want[r]);
            bough_traffic_destroy(t);
        }
        bough_text_fini(&text);
        bough_net_destroy(m.net);
    }
}

/* Jobs have whole hosts, and their collectives know them: what they group is what the job's ranks are on. */
static void collectives_of_jobs_know_hosts(void **state) {
    (void)state;
    static const char *const places[] = {"linear", "stride=2", "random", NULL};
    for (uint64_t trial = 0; trial < 100; trial++) {
        machines m = make(2 * trial); /* as many endpoints each */
        const net_hosts *h = m.net->hosts;
        const unsigned nics = m.nics[0];
        char spec[300], text[200];
        bough_traffic *t;
        bough_error error;
        for (int p = 0; places[p] && nics > 1 && m.hosts > 1; p++) {
            snprintf(text, sizeof text, "traffic,hosts,place\n\"allreduce:gpus=%u,rails=%u\",%u,%s\n", nics,
                     nics, 2 * nics, places[p]);
            snprintf(spec, sizeof spec, "jobs:%s", temporary_file("jobs.csv", text, 0));
            if (bough_traffic_create(m.net, spec, &t, &error))
                fail_msg("%s: %s\n%s", error.place, error.reason, text);
            const bough_workload *w = t->workload;
            assert_int_equal(w->schedule->ranks, 2 * nics);
            for (uint32_t a = 0; a < 2 * nics; a++)
                for (uint32_t b = 0; b < 2 * nics; b++) {
                    const bool same = h->of[w->endpoint[a]] == h->of[w->endpoint[b]];
                    assert_true((a / nics == b / nics) == same);
                    assert_true(bough_ranks_inside(w, a, b) == same);
                }
            bough_traffic_destroy(t);
        }
        bough_net_destroy(m.net);
    }
}

/* ---- places, NICs and nodes, by the names of cables alone ---- */

/* Ranks on hosts, with gpus= and rails= of the traffic, or on the GPUs of compute nodes, of which hosts may
 * have more NICs than are used. */
typedef struct combination {
    machines m;
    uint64_t trial;
    unsigned gpus, nics, place, ranks, host[HOSTS * NICS * 3];
    bool nodes;
    bough_node_setting *setting;
    bough_net *inner;
    const bough_net *net;
} combination;

enum { BY_RAIL = 2, BY_FILE = 3 };
static const char *const places[] = {"linear", "random", "rail", "file"};

static void add_nodes(combination *k) {
    char spec[60];
    bough_error error;
    if (!k->nodes) return;
    snprintf(spec, sizeof spec, "dgx-h100:gpus=%u,nics=%u", k->gpus, k->nics);
    if (bough_node_setting_create(spec, &k->setting, &error) ||
        bough_compute_nodes_create(k->m.net, k->setting, &k->inner, &error))
        fail_msg("%s", error.reason);
    k->net = k->inner;
}

/* False: no two ranks fit. */
static bool combine(uint64_t trial, combination *k) {
    *k = (combination){.m = make(trial), .trial = trial, .nodes = draw(trial, 503, 2)};
    unsigned room = 0;
    k->net = k->m.net;
    k->nics = 1 + draw(trial, 500, NICS);
    k->gpus = k->nics * (1 + draw(trial, 501, 3));
    k->place = draw(trial, 502, 4);
    for (unsigned h = 0; h < k->m.hosts; h++) room += k->m.nics[h] >= k->nics;
    k->ranks = room ? k->gpus * (1 + draw(trial, 504, room)) : 0;
    if (k->place == BY_FILE && k->ranks > 1) k->ranks = 2 + draw(trial, 505, k->ranks - 1);
    if (k->gpus < 2 || k->ranks < 2 || k->m.net->hosts->most == 1) return false;
    add_nodes(k);
    return true;
}

static void drop(combination *k) {
    bough_net_destroy(k->inner);
    bough_node_setting_destroy(k->setting);
    bough_net_destroy(k->m.net);
}

/* A file of places puts ranks anywhere, also several on one endpoint. */
static bough_status bind(combination *k, const char *traffic, bough_traffic **t, bough_error *error) {
    bough_text text = {0};
    char spec[400], name[64];
    for (unsigned r = 0; r < k->ranks; r++)
        bough_text_printf(
            &text, "%u %s\n", r,
            bough_node_name(k->net, draw(k->trial, 600 + r, (unsigned)k->net->endpoints), name, sizeof name));
    snprintf(spec, sizeof spec, "%s,ranks=%u,place=%s,key=%u", traffic, k->ranks,
             k->place == BY_FILE ? temporary_file("ranks.place", text.data, text.length) : places[k->place],
             (unsigned)k->trial);
    if (!k->nodes)
        snprintf(spec + strlen(spec), sizeof spec - strlen(spec), ",gpus=%u,rails=%u", k->gpus, k->nics);
    bough_text_fini(&text);
    return bough_traffic_create(k->net, spec, t, error);
}

/* The host and the NIC of a rank, and those through which it sends to another. */
static void seat_of(const combination *k, const bough_workload *w, unsigned rank, unsigned *host,
                    unsigned *nic) {
    const uint32_t e = w->endpoint[rank];
    name_of(&k->m, k->nodes ? bough_gpu_nic(k->net->compute, e) : e, host, nic);
}

static unsigned nic_towards(const combination *k, const bough_workload *w, unsigned rank, unsigned to) {
    unsigned host, nic;
    const uint32_t e = w->endpoint[rank];
    name_of(&k->m, k->nodes ? bough_gpu_nic_towards(k->net->compute, e, w->endpoint[to]) : e, &host, &nic);
    return nic;
}

/* Ranks are grouped if, and only if, the cables of their endpoints lead to one host. */
static void check_groups(combination *k, const bough_workload *w) {
    unsigned nic;
    for (unsigned r = 0; r < k->ranks; r++) seat_of(k, w, r, &k->host[r], &nic);
    for (unsigned a = 0; a < k->ranks; a++)
        for (unsigned b = 0; b < k->ranks; b++) {
            const bool same = k->nodes ? bough_inside_node(k->net, w->endpoint[a], w->endpoint[b])
                                       : bough_ranks_inside(w, a, b);
            if (same != (k->host[a] == k->host[b])) fail_msg("trial %u", (unsigned)k->trial);
            if (k->place != BY_FILE && (a / k->gpus == b / k->gpus) != same)
                fail_msg("trial %u", (unsigned)k->trial);
        }
}

/* Bytes over the cable of a NIC out [0] and in [1], and over that of a leaf switch, up and down. */
typedef struct cable_loads {
    uint64_t nic[2][HOSTS][NICS], leaf[2][NICS];
} cable_loads;

static cable_loads count_cables(const combination *k, const bough_workload *w) {
    cable_loads c = {0};
    const bough_schedule *s = w->schedule;
    for (unsigned a = 0; a < k->ranks; a++)
        for (uint32_t o = s->first[a]; o < s->first[a + 1]; o++) {
            const bough_op *op = &s->op[o];
            unsigned host, in;
            if (op->kind != BOUGH_OP_SEND || k->host[a] == k->host[op->peer]) continue;
            const unsigned out = nic_towards(k, w, a, op->peer);
            seat_of(k, w, op->peer, &host, &in);
            c.nic[0][k->host[a]][out] += op->size;
            c.nic[1][host][in] += op->size;
            if (out == in) continue;
            c.leaf[0][out] += op->size;
            c.leaf[1][in] += op->size;
        }
    return c;
}

/* Hosts with ranks; *nics: different NICs that the ranks of a host are on, of the host with the fewest. */
static unsigned count_hosts(const combination *k, const bough_workload *w, unsigned *nics) {
    bool used[HOSTS][NICS] = {{false}};
    unsigned hosts = 0, host, nic;
    for (unsigned r = 0; r < k->ranks; r++) {
        seat_of(k, w, r, &host, &nic);
        used[host][nic] = true;
    }
    *nics = NICS;
    for (unsigned h = 0; h < HOSTS; h++) {
        unsigned own = 0;
        for (unsigned i = 0; i < NICS; i++) own += used[h][i];
        hosts += own > 0;
        if (own && own < *nics) *nics = own;
    }
    return hosts;
}

/* A host sends and receives `all` bytes (0: any number), a channel's part over each of its NICs at most. */
static void check_host(const combination *k, const uint64_t nic[NICS], unsigned channels, uint64_t all) {
    uint64_t sum = 0, most = 0;
    for (unsigned i = 0; i < NICS; i++) {
        sum += nic[i];
        if (nic[i] > most) most = nic[i];
    }
    if ((all && sum && sum != all) || most * channels > sum)
        fail_msg("trial %u: %llu bytes, most %llu, of %llu over %u NICs", (unsigned)k->trial,
                 (unsigned long long)sum, (unsigned long long)most, (unsigned long long)all, channels);
}

/* Bytes over the busiest cable. */
static uint64_t busiest(const cable_loads *c) {
    uint64_t most = 0;
    for (unsigned in = 0; in < 2; in++)
        for (unsigned i = 0; i < NICS; i++) {
            if (c->leaf[in][i] > most) most = c->leaf[in][i];
            for (unsigned h = 0; h < HOSTS; h++)
                if (c->nic[in][h][i] > most) most = c->nic[in][h][i];
        }
    return most;
}

/* Cables of 100 Gb/s carry 1000 bytes in 80 ns. A ring takes as long as its busiest cable. */
static void check_time(const combination *k, const bough_traffic *t, const cable_loads *c) {
    const double least = 80e-12 * (double)busiest(c);
    bough_routing *routing;
    bough_error error;
    if (least == 0) return;
    assert_int_equal(bough_routing_create(k->net, "minhop", &routing, &error), BOUGH_OK);
    const bough_point p = {k->net, routing, t};
    bough_rows rows = rows_of(&p, "flow:delay=0ns");
    assert_int_equal(rows.outcome, BOUGH_RUN_OK);
    const double s = row_value(&rows, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX);
    if (s < least * (1 - 1e-9) || s > least * 1.001)
        fail_msg("trial %u: %g s, not %g", (unsigned)k->trial, s, least);
    bough_rows_fini(&rows);
    bough_routing_destroy(routing);
}

/* Rings and trees of GPU libraries use the NICs of each host alike, wherever its ranks are: as many as the
 * host with the fewest has. */
static void check_loads(combination *k, const char *algorithm, bool ring) {
    char traffic[100];
    bough_traffic *t = NULL;
    bough_error error;
    unsigned channels;
    const uint64_t block = 400 * 840; /* pieces, channels */
    snprintf(traffic, sizeof traffic, "allreduce:algo=%s,o=0ns,g=0ns,size=%llu", algorithm,
             (unsigned long long)(block * k->ranks));
    if (bind(k, traffic, &t, &error)) fail_msg("%s: %s", error.place, error.reason);
    const bough_workload *w = t->workload;
    check_groups(k, w);
    const cable_loads c = count_cables(k, w);
    const unsigned hosts = count_hosts(k, w, &channels);
    for (unsigned h = 0; h < HOSTS; h++)
        for (unsigned in = 0; in < 2; in++)
            check_host(k, c.nic[in][h], channels, ring && hosts > 1 ? 2 * (k->ranks - 1) * block : 0);
    if (ring && k->ranks <= 16) check_time(k, t, &c);
    bough_traffic_destroy(t);
}

static void nics_carry_the_same_wherever_ranks_are(void **state) {
    (void)state;
    unsigned made = 0;
    for (uint64_t trial = 0; made < 2000; trial++) {
        combination k;
        if (combine(trial, &k)) {
            bough_traffic *t;
            bough_error error;
            if (k.nodes && k.place == BY_RAIL) {
                assert_int_equal(bind(&k, "allreduce:size=1000", &t, &error), BOUGH_INVALID);
                assert_non_null(strstr(error.reason, "place=rail is for endpoints without compute nodes"));
                k.place = 0;
            }
            if (k.ranks <= 48) {
                check_loads(&k, "nccl-ring", true);
                check_loads(&k, "nccl-tree", false);
                made++;
            }
        }
        drop(&k);
    }
}

/* A job on GPUs 0 1 4 5 of two nodes of 8 GPUs and 2 NICs uses both NICs, as ranks that a file places there.
 */
static void jobs_use_the_nics_of_their_gpus(void **state) {
    (void)state;
    static const char jobs[] = "traffic,hosts,place\n\"allreduce:algo=nccl-ring,size=80000\",8,"
                               "list=0 1 4 5 8 9 12 13\n";
    bough_net *fabric, *net;
    bough_node_setting *setting;
    bough_traffic *t;
    bough_error error;
    char spec[300];
    uint64_t sent[2] = {0, 0};
    assert_int_equal(bough_net_create("xgft:down=4,up=1", &fabric, &error), BOUGH_OK);
    assert_int_equal(bough_node_setting_create("dgx-h100:gpus=8,nics=2", &setting, &error), BOUGH_OK);
    assert_int_equal(bough_compute_nodes_create(fabric, setting, &net, &error), BOUGH_OK);
    snprintf(spec, sizeof spec, "jobs:%s", temporary_file("gpus.csv", jobs, 0));
    if (bough_traffic_create(net, spec, &t, &error)) fail_msg("%s: %s", error.place, error.reason);
    const bough_schedule *s = t->workload->schedule;
    for (uint32_t o = 0; o < s->first[4]; o++)
        if (s->op[o].kind == BOUGH_OP_SEND && s->op[o].peer >= 4)
            sent[t->workload->endpoint[s->op[o].peer] % 8 / 4] += s->op[o].size;
    assert_int_equal(sent[0], 70000); /* 2 x 7/8 of half of the vector */
    assert_int_equal(sent[1], 70000);
    bough_traffic_destroy(t);
    bough_net_destroy(net);
    bough_node_setting_destroy(setting);
    bough_net_destroy(fabric);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endpoints_are_grouped),
        cmocka_unit_test(ranks_are_on_hosts),
        cmocka_unit_test(placed_ranks_share_hosts),
        cmocka_unit_test(compute_nodes_are_hosts),
        cmocka_unit_test(numbers_are_hosts),
        cmocka_unit_test(jobs_are_on_hosts),
        cmocka_unit_test(nics_carry_the_same_wherever_ranks_are),
        cmocka_unit_test(collectives_of_jobs_know_hosts),
        cmocka_unit_test(jobs_use_the_nics_of_their_gpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
