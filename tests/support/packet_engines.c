#include "support/packet_engines.h"
#include "loads/pair_survey.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

sim_engine *packet_engine_with(const place *p, packet_options o) {
    sim_engine *e;
    bough_error error = {0};
    if (bough_routing_survey(p->routing, &o.hops, &error)) fail_msg("%s", error.reason);
    if (packet_make(p->routing, &o, &e, &error)) fail_msg("%s %s", error.place, error.reason);
    return e;
}

sim_engine *packet_engine_make(const place *p, packet_discipline queue, bool trace) {
    return packet_engine_with(p, (packet_options){.queue = queue, .trace = trace});
}
