#include "support/specs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void must_refuse(const char *spec, bough_status have, bough_status want, const bough_error *error,
                        const char *reason) {
    if (have != want) fail_msg("%s: status %d, not %d", spec, have, want);
    if (!strstr(error->reason, reason)) fail_msg("%s: '%s' does not say '%s'", spec, error->reason, reason);
}

bough_net *net_make(const char *spec) {
    bough_net *net = NULL;
    bough_error error;
    if (bough_net_create(spec, &net, &error)) fail_msg("%s: %s: %s", spec, error.place, error.reason);
    return net;
}

bough_routing *routing_make(const bough_net *net, const char *spec) {
    bough_routing *routing = NULL;
    bough_error error;
    if (bough_routing_create(net, spec, &routing, &error))
        fail_msg("%s: %s: %s", spec ? spec : "default", error.place, error.reason);
    return routing;
}

void routing_free(bough_routing *routing) {
    bough_net *net = (bough_net *)routing->net;
    bough_routing_destroy(routing);
    bough_net_destroy(net);
}

bough_traffic *traffic_make(const bough_net *net, const char *spec) {
    bough_traffic *traffic = NULL;
    bough_error error;
    if (bough_traffic_create(net, spec, &traffic, &error))
        fail_msg("%s: %s: %s", spec, error.place, error.reason);
    return traffic;
}

void net_refused(const char *spec, bough_status status, const char *reason) {
    bough_net *net;
    bough_error error = {0};
    must_refuse(spec, bough_net_create(spec, &net, &error), status, &error, reason);
    assert_null(net);
}

void routing_refused(const bough_net *net, const char *spec, bough_status status, const char *reason) {
    bough_routing *routing;
    bough_error error = {0};
    must_refuse(spec, bough_routing_create(net, spec, &routing, &error), status, &error, reason);
    assert_null(routing);
}

void traffic_refused_on(const bough_net *net, const char *spec, bough_status status, const char *reason) {
    bough_traffic *traffic;
    bough_error error = {0};
    must_refuse(spec, bough_traffic_create(net, spec, &traffic, &error), status, &error, reason);
    assert_null(traffic);
}

void traffic_refused(const char *network, const char *spec, bough_status status, const char *reason) {
    bough_net *net = net_make(network);
    traffic_refused_on(net, spec, status, reason);
    bough_net_destroy(net);
}
