/* A failure as the engine of the routing answers it: the routing computed on what is left. */
#include "base/status/try.h"
#include "fabric/failures/failures_internal.h"
#include "network/faults/faulty_network.h"

#include <math.h>

/* Of an engine that fills tables. `dmodk` and `bitfix` are formulas of whole networks. */
static bool is_engine(const bough_routing_kind *kind) {
    return kind->row && !(kind->needs & BOUGH_HAS_TABLES);
}

bool failures_anew_wanted(const bough_failures *f, uint64_t failures) {
    const double each = (double)f->n * ((double)f->n + (double)f->links);
    return !f->made && is_engine(f->routing->kind) && !f->net->speeds &&
           (double)failures * each <= BOUGH_FAILURES_ANEW_STEPS;
}

static bough_status without(const bough_net *base, const uint64_t *dead, bough_net **net,
                            bough_error *error) {
    bough_fault_marks marks;
    *net = NULL;
    bough_status status = marks_make(&marks, base, error);
    for (uint64_t l = 0; l < base->links && !status; l++)
        if (bit_of(dead, l)) marks_link(&marks, l, FAULT_REROUTED);
    TRY(marks_settle(&marks, error));
    TRY(faulted_make(&marks, "failures", net, error));
    marks_fini(&marks);
    return status;
}

bough_status failures_anew(const bough_failures *f, const uint64_t *dead, bough_failure *r,
                           bough_error *error) {
    const bough_failures_options one = {.threads = 1};
    bough_net *net;
    bough_routing *routing = NULL;
    bough_failures *left = NULL;
    bough_status status = without(f->net->faults ? f->net->faults->base : f->net, dead, &net, error);
    if (net) net->threads = 1;
    TRY(bough_routing_create(net, f->routing->spec, &routing, error));
    TRY(bough_failures_create(routing, &one, &left, error));
    if (!status) {
        const uint64_t before = r->as_is.pairs + r->lost;
        r->rerouted = left->whole;
        r->rerouted.slowdown = r->rerouted.pairs < f->whole.pairs ? NAN
                               : f->time > 0                      ? left->time / f->time
                                                                  : 1;
        r->cut = before - r->rerouted.pairs;
        r->anew = true;
    }
    bough_failures_destroy(left);
    bough_routing_destroy(routing);
    bough_net_destroy(net);
    return status;
}
