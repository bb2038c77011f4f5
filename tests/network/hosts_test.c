/* Hosts of fabrics with 1 to 8 endpoints each, in any order of the file: which endpoints are of one host,
 * what numbers in lists mean, and where ranks, rails and compute nodes are. The test keeps the host of each
 * cable beside it. */
#include "network/hosts.h"

#include "base/random/random.h"
#include "base/text/text.h"
#include "network/physical/physical.h"
#include "support/draws.h"
#include "support/fabrics.h"
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

/* 2,000 combinations of place, gpus, rails and NICs of compute nodes, by names alone: ranks are grouped if,
 * and only if, the cables of their endpoints lead to one host. */
static void groups_are_those_of_the_cables(void **state) {
    (void)state;
    static const char *const places[] = {"linear", "random", "rail", "file"};
    unsigned made = 0;
    for (uint64_t trial = 0; made < 2000; trial++) {
        machines m = make(trial);
        const unsigned rails = 1 + draw(trial, 500, NICS), gpus = rails * (1 + draw(trial, 501, 3)),
                       place = draw(trial, 502, 4), nodes = draw(trial, 503, 4) == 0;
        unsigned room = 0;
        for (unsigned h = 0; h < m.hosts; h++) room += m.nics[h] >= rails;
        const unsigned ranks = room ? gpus * (1 + draw(trial, 504, room)) : 0;
        bough_node_setting *setting = NULL;
        bough_net *inner = NULL, *net = m.net;
        bough_text text = {0};
        bough_traffic *t = NULL;
        bough_error error = {0};
        char spec[300], name[64];
        if (gpus < 2 || ranks < 2 || m.net->hosts->most == 1 || (nodes && place == 2)) {
            bough_net_destroy(m.net);
            continue;
        }
        if (nodes) {
            snprintf(spec, sizeof spec, "dgx-h100:gpus=%u,nics=%u", gpus, rails);
            if (bough_node_setting_create(spec, &setting, &error) ||
                bough_compute_nodes_create(m.net, setting, &inner, &error))
                fail_msg("%s", error.reason);
            net = inner;
        }
        for (unsigned r = 0; r < ranks; r++)
            bough_text_printf(
                &text, "%u %s\n", r,
                bough_node_name(net, draw(trial, 600 + r, (unsigned)net->endpoints), name, sizeof name));
        snprintf(spec, sizeof spec, "allreduce:ranks=%u,place=%s,key=%u", ranks,
                 place == 3 ? temporary_file("ranks.place", text.data, text.length) : places[place],
                 (unsigned)trial);
        if (!nodes)
            snprintf(spec + strlen(spec), sizeof spec - strlen(spec), ",gpus=%u,rails=%u", gpus, rails);
        if (bough_traffic_create(net, spec, &t, &error)) fail_msg("%s: %s", spec, error.reason);
        const bough_workload *w = t->workload;
        unsigned host[HOSTS * NICS * 3], nic;
        for (unsigned r = 0; r < ranks; r++)
            name_of(&m, nodes ? bough_gpu_nic(net->compute, w->endpoint[r]) : w->endpoint[r], &host[r], &nic);
        for (unsigned a = 0; a < ranks; a++)
            for (unsigned b = 0; b < ranks; b++) {
                const bool same = nodes ? bough_inside_node(net, w->endpoint[a], w->endpoint[b])
                                        : bough_ranks_inside(w, a, b);
                if (same != (host[a] == host[b])) fail_msg("trial %u, %s", (unsigned)trial, spec);
                if (place != 3 && (a / gpus == b / gpus) != same)
                    fail_msg("trial %u, %s", (unsigned)trial, spec);
            }
        bough_traffic_destroy(t);
        bough_text_fini(&text);
        bough_net_destroy(inner);
        bough_node_setting_destroy(setting);
        bough_net_destroy(m.net);
        made++;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endpoints_are_grouped),
        cmocka_unit_test(ranks_are_on_hosts),
        cmocka_unit_test(placed_ranks_share_hosts),
        cmocka_unit_test(compute_nodes_are_hosts),
        cmocka_unit_test(numbers_are_hosts),
        cmocka_unit_test(jobs_are_on_hosts),
        cmocka_unit_test(groups_are_those_of_the_cables),
        cmocka_unit_test(collectives_of_jobs_know_hosts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
