#include "fabric/network/network_report.h"
#include "base/memory/memory.h"
#include "document/document.h"
#include "fabric/check/check_rates.h"
#include "network/families/xgft_tree.h"
#include "network/faults/faults.h"
#include "network/network_object.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What both forms of the answer need. */
typedef struct described {
    const bough_net *net;
    arena memory; /* of the rates */
    bough_link_rates rates;
    char *canonical;    /* the spec as xgft; NULL: none, or the spec itself */
    uint64_t connected; /* ordered pairs; of networks with faults */
} described;

static bool is_xgft(const bough_net *net) {
    return strncmp(net->spec, "xgft:", 5) == 0;
}

static bough_status look(const bough_net *net, described *x, bough_error *error) {
    const xgft_shape *shape = xgft_populated_shape_of(net->faults ? net->faults->base : net);
    *x = (described){.net = net};
    bough_status status = bough_link_rates_find(net, &x->memory, &x->rates, error);
    if (status) return status;
    if (shape && !(x->canonical = xgft_format(shape))) status = bough_fail_memory(error, 0);
    for (uint64_t e = 0; e < net->endpoints && net->faults; e++) x->connected += net->ops->reached(net, e);
    return status;
}

static void described_fini(described *x) {
    arena_fini(&x->memory);
    free(x->canonical);
}

/* ---- for people ---- */

static void put_count(document *d, const char *before, uint64_t count, const char *noun, const char *plural) {
    document_put(d, "%s%" PRIu64 " %s%s", before, count, noun, count == 1 ? "" : plural);
}

static void put_parts(document *d, const bough_packaging *p) {
    document_begin(d, DOCUMENT_FACT, "parts");
    for (unsigned s = 0; s < p->stages; s++)
        document_put(d, "%s%" PRIu64 " %s", s ? ", " : "", bough_packaging_stacks(p, s), p->stage[s].name);
    document_put(d, ", from the endpoints up");
    document_end(d);
}

static void put_capacity(document *d, const bough_net *net) {
    document_begin(d, DOCUMENT_FACT, "capacity");
    for (unsigned l = 0; l < net->levels; l++)
        document_put(d, "%" PRIu64 " ", net->ops->channel_capacity(net, l, net->ops->subtree(net, l, 0)));
    document_put(d, "cables above %s, level 0 up", net->fabric ? "the subtrees of endpoint 0" : "a subtree");
    document_end(d);
}

static void put_slow(document *d, const bough_fault_report *r) {
    if (r->slow_links) {
        document_begin(d, DOCUMENT_FACT, "slow");
        put_count(d, "", r->slow_cables, "cable", "s");
        put_count(d, ", ", r->slow_links, "link", "s");
        document_put(d, " of them, down to %g %% of their rate", 100 * r->rate_least);
        document_end(d);
    }
    if (r->slow_hosts) {
        document_begin(d, DOCUMENT_FACT, "slow");
        put_count(d, "", r->slow_hosts, "host", "s");
        document_put(d, ", computations up to %g times as long", r->compute_most);
        document_end(d);
    }
}

/* Dead and remaining parts. */
static void put_faults(document *d, const described *x) {
    const bough_net *net = x->net;
    const bough_fault_report *r = net->faults;
    char bytes[32];
    const uint64_t pairs = bough_mul(net->endpoints, net->addresses) - net->addresses;
    document_fact(d, "faults", "%s", r->spec);
    document_begin(d, DOCUMENT_FACT, "dead");
    put_count(d, "", r->switches, "switch", "es");
    put_count(d, " (", r->chips, "whole chip", "s");
    put_count(d, "), ", r->cables, "cable", "s");
    if (r->links) put_count(d, ", ", r->links, "link", "s");
    if (r->lost) document_put(d, ", %" PRIu64 " more undetected", r->lost);
    document_end(d);
    put_slow(d, r);
    if (r->endpoints)
        document_fact(d, "isolated", "%" PRIu64 " endpoint%s", r->endpoints, r->endpoints == 1 ? "" : "s");
    document_fact(d, "connected", "%" PRIu64 " of %" PRIu64 " ordered pairs, %.4f %%, %s", x->connected,
                  pairs, 100 * (double)x->connected / (double)(pairs ? pairs : 1),
                  r->rerouted ? "by rerouted paths" : "by routes that avoid dead links locally");
    document_fact(d, "state", "%s of faults and routes", bough_format_bytes(r->bytes, bytes, sizeof bytes));
}

static void put_size(document *d, const bough_net *net) {
    document_fact(d, "endpoints", "%" PRIu64, net->endpoints);
    document_fact(d, "switches", "%" PRIu64, net->switches);
    document_fact(d, "links", "%" PRIu64 " (directed)", net->links);
    document_fact(d, "cables", "%" PRIu64 " between switches", net->cables);
    document_fact(d, "levels", "%u", net->levels);
    document_fact(d, "groups", "%" PRIu64 ", the largest of %" PRIu64 " links", net->groups, net->group_max);
    if (net->chips && net->chips != net->switches)
        document_fact(d, "chips", "%" PRIu64 ", some of them several switches", net->chips);
}

static void describe(document *d, const described *x) {
    const bough_net *net = x->net;
    char bytes[32];
    document_section(d, "network", "Network");
    document_fact(d, "network", "%s", network_object_spec(net));
    if (x->canonical && !is_xgft(net->faults ? net->faults->base : net))
        document_fact(d, "as", "%s", x->canonical);
    put_size(d, net);
    document_begin(d, DOCUMENT_FACT, "rates");
    check_rates_words(&d->line, net, &x->rates);
    document_end(d);
    if (net->packaging) put_parts(d, net->packaging);
    if (net->hops_max) document_fact(d, "longest", "%u link%s", net->hops_max, net->hops_max == 1 ? "" : "s");
    if (net->addresses != net->endpoints) document_fact(d, "addresses", "%" PRIu64, net->addresses);
    if ((net->capabilities & BOUGH_HAS_CHANNELS) && net->levels) put_capacity(d, net);
    document_fact(d, "memory", "%s of link state in a simulation, about",
                  bough_format_bytes(bough_mul(net->links, 8), bytes, sizeof bytes));
    if (net->faults) put_faults(d, x);
    if (net->fabric)
        document_fact(d, "findings", "%zu (`bough check` shows them)", net->fabric->findings.count);
}

bough_status bough_network_report_text(const bough_net *net, size_t width, char **text, bough_error *error) {
    described x;
    document d = {0};
    bough_text out = {0};
    bough_status status = look(net, &x, error);
    if (!status) {
        describe(&d, &x);
        document_write_text(&d, &(document_text_options){.width = width}, &out);
        status = bough_text_finish(&out, text, error);
    }
    document_fini(&d);
    described_fini(&x);
    return status;
}

/* ---- for programs ---- */

static void put_faults_object(json_writer *w, const described *x) {
    const bough_fault_report *r = x->net->faults;
    json_begin_object(w, "faults", true);
    json_put_text(w, "spec", r->spec);
    json_put_whole(w, "chips", (int64_t)r->chips);
    json_put_whole(w, "switches", (int64_t)r->switches);
    json_put_whole(w, "links", (int64_t)r->links);
    json_put_whole(w, "cables", (int64_t)r->cables);
    json_put_whole(w, "unknown", (int64_t)r->lost);
    json_put_whole(w, "endpoints", (int64_t)r->endpoints);
    json_put_whole(w, "slow_links", (int64_t)r->slow_links);
    json_put_whole(w, "slow_cables", (int64_t)r->slow_cables);
    json_put_whole(w, "slow_hosts", (int64_t)r->slow_hosts);
    json_put_real(w, "rate_least", r->rate_least);
    json_put_real(w, "compute_most", r->compute_most);
    json_put_whole(w, "connected_pairs", (int64_t)x->connected);
    json_put_whole(w, "bytes", (int64_t)r->bytes);
    json_put_flag(w, "rerouted", r->rerouted);
    json_end_object(w);
}

bough_status bough_network_report_json(const bough_net *net, char **text, bough_error *error) {
    described x;
    bough_text out = {0};
    bough_status status = look(net, &x, error);
    json_writer w = {.out = &out};
    if (!status) {
        json_begin_document(&w);
        network_object_begin(&w, net, network_object_spec(net));
        json_put_whole(&w, "levels", net->levels);
        json_put_whole(&w, "hops_max", net->hops_max);
        json_put_whole(&w, "chips", (int64_t)(net->chips ? net->chips : net->switches));
        json_put_text(&w, "canonical", x.canonical);
        json_end_object(&w);
        check_put_rates(&w, net, &x.rates);
        if (net->faults) put_faults_object(&w, &x);
        json_end_document(&w);
        status = bough_text_finish(&out, text, error);
    }
    described_fini(&x);
    return status;
}
