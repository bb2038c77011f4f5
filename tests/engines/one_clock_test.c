/* One clock: streams and schedules of the same messages have the same deliveries, and the engine of links
 * with rates and delays has those of the engine of cycles where it does what that one does. */
#include "engines/wormhole/timed/worm_timed.h"
#include "engines/wormhole/worm_events.h"
#include "network/physical/physical.h"
#include "support/own_directory.h"
#include "support/places.h"
#include "support/points.h"
#include "traffic/streams/stream.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define FABRIC   "ibnet:" SOURCE_DIR "/examples/fabric/cluster.ibnetdiscover"

/* ---- the two engines ---- */

enum { DELIVERIES = 3000 };

static uint64_t run_stream(sim_engine *e, const bough_traffic *t, bough_key key, sim_delivery *out) {
    bough_source *source;
    bough_error error = {0};
    uint64_t count = 0;
    assert_int_equal(bough_traffic_open(t, key, NULL, &source, &error), BOUGH_OK);
    e->ops->start(e, key, source);
    while (count < DELIVERIES) {
        sim_advance part = {.until = e->now + 1000, .want = UINT64_MAX};
        if (e->ops->advance(e, &part, &error)) fail_msg("%s", error.reason);
        for (uint64_t i = 0; i < part.count && count < DELIVERIES; i++)
            if (part.deliveries[i].id < DELIVERIES) out[part.deliveries[i].id] = part.deliveries[i];
        count += part.count;
    }
    /* those of early messages that are late */
    for (int i = 0; i < 50; i++) {
        sim_advance part = {.until = e->now + 1000, .want = UINT64_MAX};
        if (e->ops->advance(e, &part, &error)) fail_msg("%s", error.reason);
        for (uint64_t k = 0; k < part.count; k++)
            if (part.deliveries[k].id < DELIVERIES) out[part.deliveries[k].id] = part.deliveries[k];
    }
    source->close(source);
    e->ops->destroy(e);
    return e->now;
}

/* Of the sizes of buffers each network meets one in so many; the first argument of the test changes it. */
static unsigned share = 3;

static void equal_links_in_cycles(void **state) {
    (void)state;
    static const struct {
        const char *net, *routing;
        double load;
    } places[] = {{"bft:n=64", "free", 0.12},           {"kary:k=4,levels=2", "free", 0.3},
                  {"fattree:n=32", "least", 0.3},       {"xgft:down=4x4x2,up=1x2x2", "dmodk", 0.1},
                  {"mesh:dims=4x4", "free", 0.2},       {"mesh:dims=4x4,ports=all", "free", 0.2},
                  {"cube:n=16", "bitfix", 0.2},         {FABRIC, "hash", 0.2},
                  {"xgft:down=4x4,up=1x2", "free", 0.2}};
    static sim_delivery slow[DELIVERIES], fast[DELIVERIES];
    for (size_t i = 0; i < COUNT(places); i++) {
        bough_net *net;
        bough_routing *routing;
        bough_error error = {0};
        if (bough_net_create(places[i].net, &net, &error)) fail_msg("%s: %s", places[i].net, error.reason);
        if (bough_routing_create(net, places[i].routing, &routing, &error))
            fail_msg("%s: %s", places[i].net, error.reason);
        for (uint32_t buffer = 1; buffer <= 8; buffer++) {
            if ((buffer + i) % share) continue;
            char spec[96];
            bough_traffic *t;
            const bough_key key = bough_key_make(71, i * 10 + buffer);
            const uint64_t flits = 1 + buffer % 3 * 9;
            snprintf(spec, sizeof spec, "poisson:load=%g,flits=%d", places[i].load, (int)flits);
            if (bough_traffic_create(net, spec, &t, &error)) fail_msg("%s", error.reason);
            worm_options o = {.flits = 1, .buffer = buffer, .vcs = 1, .owned = true};
            sim_engine *events, *timed;
            assert_int_equal(worm_events_make(routing, &o, 32, &events, &error), BOUGH_OK);
            assert_int_equal(worm_timed_make(routing, &o, 32, &timed, &error), BOUGH_OK);
            memset(slow, 0, sizeof slow);
            memset(fast, 0, sizeof fast);
            run_stream(timed, t, key, slow);
            run_stream(events, t, key, fast);
            for (uint32_t m = 0; m < DELIVERIES; m++)
                if (memcmp(&slow[m], &fast[m], sizeof *slow))
                    fail_msg("%s, buffer %u, message %u: %d, %d", places[i].net, buffer, m,
                             (int)slow[m].arrived, (int)fast[m].arrived);
            bough_traffic_destroy(t);
        }
        bough_routing_destroy(routing);
        bough_net_destroy(net);
    }
}

/* ---- streams and schedules ---- */

enum { MESSAGES = 200, FLIT = 125 };

/* The same messages twice: times in cycles and sizes in flits, and times in ps and sizes in bytes. A cycle is
 * the time of a flit at the rate of the fastest endpoint. */
static void write_messages(const bough_net *net, double load, bough_key key) {
    FILE *list = fopen("list.csv", "w"), *matrix = fopen("list.cm", "w");
    assert_true(list && matrix);
    bough_stream s = bough_stream_make(key, BOUGH_DRAW_ARRIVAL, 3, 0);
    const double ps = 8e12 * FLIT / (double)bough_net_endpoint_rate_max(net, 0);
    uint64_t time = 0;
    fprintf(list, "time,source,destination,size\n");
    fprintf(matrix, "Nodes %d\nConnections %d\n", (int)net->endpoints, MESSAGES);
    for (int i = 0; i < MESSAGES; i++) {
        const uint64_t from = bough_stream_below(&s, net->endpoints),
                       to = (from + 1 + bough_stream_below(&s, net->endpoints - 1)) % net->endpoints,
                       size = 1 + bough_stream_below(&s, 30);
        time += 1 + bough_stream_below(&s, 1 + (uint64_t)(31 / load / (double)net->endpoints));
        fprintf(list, "%" PRIu64 ",%d,%d,%d\n", time, (int)from, (int)to, (int)size);
        fprintf(matrix, "%d->%d start %" PRIu64 " size %d\n", (int)from, (int)to,
                (uint64_t)ceil((double)time * ps), (int)size * FLIT);
    }
    fclose(list);
    fclose(matrix);
}

static void same_rows(const bough_point *p, const bough_traffic *const traffic[2], const char *method) {
    static const bough_metric_id metric[] = {BOUGH_METRIC_COMPLETION_TIME, BOUGH_METRIC_FCT,
                                             BOUGH_METRIC_FCT_P50,         BOUGH_METRIC_FCT_P99,
                                             BOUGH_METRIC_FCT_MAX,         BOUGH_METRIC_LINK_USE_MAX};
    bough_rows rows[2];
    for (int i = 0; i < 2; i++) {
        bough_point point = *p;
        char spec[128];
        point.traffic = traffic[i];
        snprintf(spec, sizeof spec, "%s%s", method, i ? "" : ",time=physical");
        rows[i] = rows_of(&point, spec);
    }
    for (size_t m = 0; m < COUNT(metric); m++)
        if (row_value(&rows[0], metric[m], BOUGH_NO_ROW_INDEX) !=
            row_value(&rows[1], metric[m], BOUGH_NO_ROW_INDEX))
            fail_msg("%s, %s, metric %d: %.17g, %.17g", p->net->spec, method, (int)metric[m],
                     row_value(&rows[0], metric[m], BOUGH_NO_ROW_INDEX),
                     row_value(&rows[1], metric[m], BOUGH_NO_ROW_INDEX));
    for (int i = 0; i < 2; i++) bough_rows_fini(&rows[i]);
}

static void streams_as_schedules(void **state) {
    (void)state;
    static const struct {
        const char *net, *routing, *setting;
        double load;
    } places[] = {
        {"bft:n=64", "free", "default:delay=0ns,flit=125", 0.1},
        {"bft:n=64", "free", "ndr:flit=125,vcs=1,buffer=1,header=0", 0.2},
        {"kary:k=4,levels=2", "free", "default:host_rate=50Gb/s,flit=125", 0.4},
        {"xgft:down=4x4x2,up=1x2x2", "dmodk", "default:switch=130ns,flit=125", 0.1},
        {"xgft:down=4x4,up=1x2,links=1x2", "free", "default:host_rate=33Gb/s,flit=125,switch=7ns", 0.2},
        {"mesh:dims=4x4", "free", "default:delay=3ns,flit=125", 0.2},
        {FABRIC, "updn", "default:delay=20ns,flit=125", 0.2},
    };
    for (size_t i = 0; i < COUNT(places); i++) {
        bough_error error = {0};
        bough_physical *physical;
        bough_net *net;
        bough_point p = {0};
        if (bough_net_create(places[i].net, &net, &error)) fail_msg("%s", error.reason);
        if (bough_physical_create(places[i].setting, &physical, &error)) fail_msg("%s", error.reason);
        bough_net_set_physical(net, physical);
        p.net = net;
        if (bough_routing_create(net, places[i].routing, (bough_routing **)&p.routing, &error))
            fail_msg("%s: %s", places[i].net, error.reason);
        write_messages(net, places[i].load, bough_key_make(72, i));
        bough_traffic *traffic[2];
        if (bough_traffic_create(net, "messages:list.csv", &traffic[0], &error) ||
            bough_traffic_create(net, "cm:list.cm", &traffic[1], &error))
            fail_msg("%s", error.reason);
        const bough_traffic *const both[2] = {traffic[0], traffic[1]};
        for (unsigned vcs = 1; vcs <= 4; vcs++)
            for (unsigned buffer = 1; buffer <= 8; buffer++) {
                char method[96];
                snprintf(method, sizeof method, "worm:vcs=%u,buffer=%u", vcs, buffer);
                same_rows(&p, both, method);
                if (vcs > 1) continue;
                snprintf(method, sizeof method, "worm:buffer=%u,sharing=message", buffer);
                same_rows(&p, both, method);
            }
        same_rows(&p, both, "packet:packet=125");
        same_rows(&p, both, "packet:packet=125,queue=random,duplex=half");
        for (int k = 0; k < 2; k++) bough_traffic_destroy(traffic[k]);
        bough_routing_destroy((bough_routing *)p.routing);
        bough_net_destroy(net);
        bough_physical_destroy(physical);
    }
}

/* ---- the two engines of packets ---- */

/* Where all links are alike and routes are fixed, a step is the time of a packet. */
static void steps_are_times_of_packets(void **state) {
    (void)state;
    static const char *const queues[] = {"fifo", "lifo", "farthest"};
    static const char *const nets[] = {"xgft:down=4x4x2,up=1x2x2", "kary:k=4,levels=3", "fattree:n=64"};
    static const char *const traffics[] = {"uniform", "hrelation:h=3", "hotspot", "alltoall"};
    const double step = 8.0 * 4096 / 100e9;
    for (size_t n = 0; n < COUNT(nets); n++)
        for (size_t t = 0; t < COUNT(traffics); t++)
            for (size_t q = 0; q < COUNT(queues); q++) {
                bough_error error = {0};
                bough_physical *physical;
                bough_point p = point_make(nets[n], NULL, NULL);
                char steps[64], times[64];
                assert_int_equal(bough_physical_create("default:delay=0ns", &physical, &error), BOUGH_OK);
                bough_net_set_physical((bough_net *)p.net, physical);
                if (bough_routing_create(p.net, "dmodk", (bough_routing **)&p.routing, &error) ||
                    bough_traffic_create(p.net, traffics[t], (bough_traffic **)&p.traffic, &error))
                    fail_msg("%s", error.reason);
                snprintf(steps, sizeof steps, "packet:queue=%s", queues[q]);
                snprintf(times, sizeof times, "%s,time=physical", steps);
                bough_rows slow = rows_of(&p, times), fast = rows_of(&p, steps);
                assert_close(row_value(&slow, BOUGH_METRIC_COMPLETION_TIME, BOUGH_NO_ROW_INDEX),
                             row_value(&fast, BOUGH_METRIC_STEPS, BOUGH_NO_ROW_INDEX) * step, 1e-9);
                assert_close(row_value(&slow, BOUGH_METRIC_FCT, BOUGH_NO_ROW_INDEX),
                             row_value(&fast, BOUGH_METRIC_LATENCY, BOUGH_NO_ROW_INDEX) * step, 1e-9);
                assert_close(row_value(&slow, BOUGH_METRIC_FCT_MAX, BOUGH_NO_ROW_INDEX),
                             row_value(&fast, BOUGH_METRIC_LATENCY_MAX, BOUGH_NO_ROW_INDEX) * step, 1e-9);
                bough_rows_fini(&slow);
                bough_rows_fini(&fast);
                point_free(&p);
                bough_physical_destroy(physical);
            }
}

/* ---- the rates of endpoints ---- */

/* Endpoints send in proportion to their rates, and the rates of all streams are relative to them. */
static void slower_endpoints_send_less(void **state) {
    (void)state;
    enum { N = 200000 };
    char text[] = "node,port,node,port,rate\nh0,1,s,1,100Gb/s\nh1,1,s,2,25Gb/s\nh2,1,s,3,50Gb/s\n"
                  "h3,1,s,4,100Gb/s\n";
    static const double want[] = {1, 0.25, 0.5, 1};
    static const char *const streams[] = {"poisson:load=0.3,flits=4", "bernoulli:load=0.3,flits=4",
                                          "poisson:load=0.3,flits=4,burst=5"};
    file_write("four.csv", text, sizeof text - 1);
    for (size_t i = 0; i < COUNT(streams); i++) {
        place p = place_make("ibnet:four.csv", "first");
        bough_error error = {0};
        bough_traffic *t;
        bough_source *source;
        bough_message m;
        double count[4] = {0}, senders;
        const bough_clock clock = {1, 64, false, 5120, 0};
        if (bough_traffic_create(p.net, streams[i], &t, &error)) fail_msg("%s", error.reason);
        assert_int_equal(bough_traffic_open(t, bough_key_make(73, i), &clock, &source, &error), BOUGH_OK);
        for (uint32_t k = 0; k < N; k++) {
            assert_int_equal(source->pop(source, UINT64_MAX / 2, &m, 1), 1);
            count[m.source]++;
        }
        const double cycles = (double)m.time / 5120;
        for (int k = 0; k < 4; k++) assert_close(count[k] / cycles, 0.3 / 4 * want[k], i == 2 ? 0.1 : 0.03);
        source->close(source);
        assert_int_equal(stream_count_senders(t, bough_key_make(73, i), &clock, &senders, &error), BOUGH_OK);
        assert_true(senders == 2.75);
        assert_int_equal(stream_count_senders(t, bough_key_make(73, i), NULL, &senders, &error), BOUGH_OK);
        assert_true(senders == 4);
        bough_traffic_destroy(t);
        place_free(&p);
    }
}

int main(int argc, char **argv) {
    if (argc > 1) share = (unsigned)strtoul(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_links_in_cycles),
        cmocka_unit_test(steps_are_times_of_packets),
        cmocka_unit_test_setup_teardown(streams_as_schedules, own_directory_enter, own_directory_leave),
        cmocka_unit_test_setup_teardown(slower_endpoints_send_less, own_directory_enter, own_directory_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
