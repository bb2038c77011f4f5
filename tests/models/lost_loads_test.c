/* linkload with messages that do not arrive: each loads the links that it reaches, whatever the routing and
 * however loads are counted. The oracle follows every message over all links that its routing offers. */
#include "network/faults/faults.h"
#include "support/fabrics.h"
#include "support/points.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static double lost; /* messages, by the oracle */

static void follow(const bough_routing *routing, uint64_t node, const bough_flow *flow, double share,
                   double *load) {
    const bough_net *net = routing->net;
    bough_route route = {0};
    if (node == bough_address_node(net, flow->address)) return;
    bough_route_at(routing, node, flow, &route);
    if (route.count == 0) lost += share;
    for (uint32_t i = 0; i < route.count; i++) {
        uint64_t link = bough_route_link(&route, i);
        load[link] += share / route.count;
        if (bough_link_lost(net, link))
            lost += share / route.count;
        else
            follow(routing, net->ops->link_end(net, link).node, flow, share / route.count, load);
    }
}

static double oracle(const bough_point *point, double *load) {
    bough_batch b;
    assert_int_equal(bough_batch_read(point->traffic, bough_key_make(1, 0), &b, NULL), BOUGH_OK);
    memset(load, 0, point->net->links * sizeof *load);
    lost = 0;
    for (uint64_t i = 0; i < b.count; i++)
        follow(point->routing, b.source[i], &(bough_flow){b.source[i], b.address[i], i}, 1, load);
    bough_batch_fini(&b);
    return lost;
}

static void compare(const bough_point *point, const char *what, const char *method) {
    double *load = malloc(point->net->links * sizeof *load), max = 0, sum = 0, used = 0;
    const double away = oracle(point, load);
    for (uint64_t l = 0; l < point->net->links; l++) {
        max = fmax(max, load[l]);
        sum += load[l];
        used += load[l] > 0;
    }
    bough_rows rows = rows_of(point, method);
    const double found = row_value(&rows, BOUGH_METRIC_LINK_LOAD_MAX, BOUGH_NO_ROW_INDEX),
                 mean = row_value(&rows, BOUGH_METRIC_LINK_LOAD_MEAN, BOUGH_NO_ROW_INDEX);
    if (fabs(found - max) > 1e-9 || fabs(mean * used - sum) > 1e-9 * sum)
        fail_msg("%s %s: max %g, mean %g; the oracle %g, %g", what, method, found, mean, max, sum / used);
    if (away > 0) assert_same(row_value(&rows, BOUGH_METRIC_UNROUTED, BOUGH_NO_ROW_INDEX), away);
    bough_rows_fini(&rows);
    free(load);
}

static void lost_messages_load_the_links_that_they_reach(void **state) {
    (void)state;
    static const char *const nets[] = {"xgft:down=4x4,up=1x2", "kary:k=2,levels=3", "xgft:down=3x4,up=1x1",
                                       "xgft:down=2x3,up=2x2,links=1x2"};
    static const char *const faults[] = {"name:s1.2/%u,mode=masked", "name:s1.2/%u,mode=blind",
                                         "name:s1.2/%u+name:s2.0,mode=masked", "name:s2.0,mode=blind"};
    static const char *const routings[] = {"random", "dmodk", "hash"};
    static const char *const traffics[] = {"uniform", "alltoall"};
    double any = 0;
    for (size_t n = 0; n < COUNT(nets); n++)
        for (size_t f = 0; f < COUNT(faults); f++)
            for (size_t r = 0; r < COUNT(routings) * 2; r++) {
                bough_net *whole = net_make(nets[n]), *net;
                bough_error error = {0};
                char spec[80], what[300];
                const uint32_t down = n == 0 ? 5 : n == 2 ? 4 : 3;
                const char *rest = strchr(faults[f], '%');
                snprintf(spec, sizeof spec, "%.*s%u%s", (int)(rest ? rest - faults[f] : 0), faults[f], down,
                         rest ? rest + 2 : "");
                if (!rest) snprintf(spec, sizeof spec, "%s", faults[f]);
                if (bough_net_with_faults(whole, spec, &net, &error)) fail_msg("%s: %s", spec, error.reason);
                bough_point point = {.net = net, .routing = routing_make(net, routings[r / 2])};
                assert_int_equal(
                    bough_traffic_create(net, traffics[r % 2], (bough_traffic **)&point.traffic, &error),
                    BOUGH_OK);
                snprintf(what, sizeof what, "%s --faults %s --routing %s %s", nets[n], spec, routings[r / 2],
                         traffics[r % 2]);
                compare(&point, what, "linkload");
                compare(&point, what, "linkload:engine=generic");
                any += lost;
                bough_traffic_destroy((bough_traffic *)point.traffic);
                bough_routing_destroy((bough_routing *)point.routing);
                bough_net_destroy(net);
                bough_net_destroy(whole);
            }
    assert_true(any > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lost_messages_load_the_links_that_they_reach)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
