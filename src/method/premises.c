#include "method/premises.h"
#include "loads/pair_survey.h"

#include "base/memory/memory.h"
#include "base/text/text.h"
#include "network/families/sorting_shape.h"
#include "network/families/xgft_tree.h"
#include "network/faults/faults.h"
#include "routing/routing_list.h"

#include <inttypes.h>

bool premise_uniform_holds(const bough_traffic *traffic) {
    const bough_traffic *from = traffic->law ? traffic->law->pattern : traffic;
    return from && from->kind->pattern && from->kind->pattern->uniform;
}

bool premise_random_links_hold(const bough_routing *routing) {
    const bough_routing_kind *kind = routing->kind;
    return kind->select == bough_select_random && !kind->blind && !kind->via && !kind->route;
}

/* Each writes what the point has instead of the premise, or nothing if the premise holds. */

static void check_uniform(const bough_run *run, bough_text *instead) {
    const bough_traffic *traffic = run->point.traffic;
    if (!traffic || premise_uniform_holds(traffic)) return;
    if (traffic->law && traffic->law->pattern) traffic = traffic->law->pattern;
    bough_text_printf(instead, "but the traffic is %s", traffic->kind->name);
}

static void check_random_links(const bough_run *run, bough_text *instead) {
    const bough_routing *routing = run->point.routing;
    if (!routing || premise_random_links_hold(routing)) return;
    bough_text_printf(instead, "but the routing is %s", routing->spec);
}

static void check_one_size(const bough_run *run, bough_text *instead) {
    const bough_traffic *traffic = run->point.traffic;
    bool differ = traffic && (traffic->sized || (traffic->law && traffic->law->lengths));
    if (differ) bough_text_printf(instead, "but those of %s differ", traffic->spec);
}

static void check_one_rate(const bough_run *run, bough_text *instead) {
    if (run->in_seconds) return;
    const bough_net *net = run->point.net;
    uint64_t low = UINT64_MAX, high = 0;
    for (uint64_t l = 0; l < net->links && (net->capabilities & BOUGH_HAS_RATES); l++) {
        uint64_t rate = bough_net_known_rate(net, l);
        if (rate && rate < low) low = rate;
        if (rate > high) high = rate;
    }
    if (low < high)
        bough_text_printf(instead, "but their rates are %g to %g Gb/s", (double)low / 1e9,
                          (double)high / 1e9);
}

static void check_no_faults(const bough_run *run, bough_text *instead) {
    const bough_fault_report *faults = run->point.net->faults;
    if (faults) bough_text_printf(instead, "and %s changes nothing", faults->spec);
}

/* Routes that cannot be surveyed (tables with gaps) are left to the trial. */
static void check_long_worms(const bough_run *run, bough_text *instead) {
    uint64_t flits = run->point.traffic->law->flits;
    unsigned longest = 0;
    bough_status status = bough_routing_survey(run->point.routing, &longest, NULL);
    if (status == BOUGH_NO_MEMORY) instead->failed = true;
    if (status || flits >= longest) return;
    bough_text_printf(instead, "but %smessages have %" PRIu64 " %s and paths up to %u links",
                      run->point.traffic->law->lengths ? "some " : "", flits, flits == 1 ? "flit" : "flits",
                      longest);
}

static void check_poisson(const bough_run *run, bough_text *instead) {
    const bough_traffic *traffic = run->point.traffic;
    if (!traffic->law->poisson) bough_text_printf(instead, "but the traffic is %s", traffic->kind->name);
    if (traffic->law->burst > 1)
        bough_text_printf(instead, "but they come in bursts of mean %g", traffic->law->burst);
}

static const struct {
    const char *text;
    void (*check)(const bough_run *run, bough_text *instead);
} premise[BOUGH_PREMISES] = {
    {"uniformly random destinations", check_uniform},
    {"links drawn among the free ones", check_random_links},
    {"messages of one size", check_one_size},
    {"equally fast links", check_one_rate},
    {"a network without faults", check_no_faults},
    {"worms at least as long as their paths", check_long_worms},
    {"Poisson arrivals", check_poisson},
};

const char *bough_premise_text(unsigned bit) {
    return bit < BOUGH_PREMISES ? premise[bit].text : NULL;
}

static bough_status record(bough_run *run, unsigned bit, const char *instead, bough_error *error) {
    bough_text sentence = {0};
    bough_text_printf(&sentence, "assumes %s, %s", premise[bit].text, instead);
    bough_status status = bough_text_finish(&sentence, &run->premise[run->premises], error);
    if (!status) run->premises++;
    return status;
}

bough_status premises_check(bough_run *run, bough_error *error) {
    bough_status status = bough_alloc(&run->premise, BOUGH_PREMISES, sizeof *run->premise, error);
    for (unsigned i = 0; i < BOUGH_PREMISES && !status; i++) {
        if (!((run->method->assumes & ~run->waived) >> i & 1)) continue;
        bough_text instead = {0};
        premise[i].check(run, &instead);
        if (instead.failed)
            status = bough_fail_memory(error, 0);
        else if (instead.length)
            status = record(run, i, instead.data, error);
        bough_text_fini(&instead);
    }
    return status;
}

/* ---- needs ---- */

const char *method_lacks_pruned(const bough_net *net) {
    const xgft_shape *shape = xgft_shape_of(net);
    return shape && xgft_is_pruned(shape) ? NULL : "the pruned butterfly of bay1991 (pruned:n=...)";
}

const char *method_lacks_sorting(const bough_net *net) {
    return sorting_shape_of(net) ? NULL : "the sorting fat-tree of bay1991 (sorting:n=...)";
}

const char *method_lacks_stacks(const bough_net *net) {
    return net->packaging ? NULL : "a network made of stacks (transit:...)";
}
