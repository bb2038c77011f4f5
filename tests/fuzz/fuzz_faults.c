/* Any text as a fault spec of a small network, the first byte says of which: refused with one line, or a
 * network that holds what it says, whose canonical spec kills the same. As `each` and as a curve too. */
#include "fabric/failures/failures.h"
#include "fuzz/must.h"
#include "network/faults/faults.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Of each kind of routes: with covered ranges, without, and with drawn wiring and modules. */
static const char *const specs[] = {"xgft:down=3x2x2,up=1x2x2", "kary:k=2,levels=3", "cube:n=8", "bft:n=16",
                                    "fattree:n=8"};
enum { NETS = sizeof specs / sizeof *specs };

static void look_at(bough_status status, const bough_error *error) {
    if (!status) return;
    MUST(error->status == status && error->reason[0]);
    MUST(!strchr(error->reason, '\n') && !strchr(error->place, '\n'));
}

static bool same_bits(const bough_net *net, const uint64_t *a, const uint64_t *b) {
    for (uint64_t w = 0; w < (net->links + 63) / 64; w++)
        if ((a ? a[w] : 0) != (b ? b[w] : 0)) return false;
    return true;
}

static void as_faults(const bough_net *base, const char *text) {
    bough_net *net = NULL, *again = NULL;
    bough_error error = {0};
    bough_status status = bough_net_with_faults(base, text, &net, &error);
    look_at(status, &error);
    if (status) {
        MUST(!net);
        return;
    }
    MUST(!bough_net_check(net, 100, &error));
    MUST(!bough_net_with_faults(base, net->faults->spec, &again, &error));
    MUST(strcmp(net->faults->spec, again->faults->spec) == 0);
    MUST(same_bits(base, net->dead, again->dead) && same_bits(base, net->lost, again->lost));
    bough_net_destroy(again);
    bough_net_destroy(net);
}

static void as_failures(const bough_net *net, const char *text) {
    arena memory = {0};
    const bough_failures_options o = {.threads = 1, .memory = &memory};
    bough_routing *routing = NULL;
    bough_failures *f = NULL;
    bough_failure_list list;
    bough_degradation curve;
    bough_error error = {0};
    double share = 0.25;
    MUST(!bough_routing_create(net, "random", &routing, &error));
    MUST(!bough_failures_create(routing, &o, &f, &error));
    bough_status status = bough_failures_each(f, text, &o, &list, &error);
    look_at(status, &error);
    MUST(!status == (list.count > 0));
    for (size_t i = 0; i < list.count; i++)
        MUST(list.item[i].cut <= list.item[i].lost && list.item[i].own <= list.item[i].cut);
    status = bough_failures_degrade(f, &(bough_degradation_ask){text, &share, 1, 1}, &o, &curve, &error);
    look_at(status, &error);
    if (!status) MUST(curve.step[0].as_is.mean <= curve.step[0].rerouted.mean);
    arena_fini(&memory);
    bough_failures_destroy(f);
    bough_routing_destroy(routing);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bough_net *net[NETS]; /* made once */
    bough_error error;
    if (size < 1 || size > 300) return 0;
    unsigned which = data[0] % NETS;
    if (!net[which]) MUST(!bough_net_create(specs[which], &net[which], &error));
    char *text = malloc(size);
    if (!text) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = 0;
    as_faults(net[which], text);
    as_failures(net[which], text);
    free(text);
    return 0;
}
