/* Exports lists of cables for other programs: CSV, BookSim anynet, htsim .topo. Dead parts are omitted. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/escape.h"
#include "network/export/network_exports.h"
#include "network/families/xgft_tree.h"
#include "network/wiring.h"

#include <inttypes.h>
#include <stdlib.h>

/* Requires endpoints that are not switches, and bidirectional cables. */
static bough_status check_cables(const bough_net *net, const char *format, bough_error *error) {
    bough_status status = export_check_size(net, error);
    if (status) return status;
    for (uint64_t l = 0; l < net->links; l++)
        if (!net->ops->link_twin || net->ops->link_twin(net, l) == BOUGH_NONE)
            return bough_fail(error, BOUGH_UNSUPPORTED, NULL, "%s describes cables; %s has one-way wires",
                              format, net->spec);
    for (uint64_t e = 0; e < net->endpoints; e++)
        if (bough_is_switch(net, e))
            return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                              "%s distinguishes hosts and switches; in %s a node is both", format, net->spec);
    return BOUGH_OK;
}

/* ---- CSV ---- */

static void put_end(const bough_net *net, uint64_t node, uint32_t port, bough_text *out) {
    char name[160], port_name[BOUGH_PORT_NAME];
    bough_text_put_csv(out, bough_node_name(net, node, name, sizeof name));
    bough_text_printf(out, ",%s,%s,", node < net->endpoints ? "host" : "switch",
                      bough_port_name(net, node, port, port_name, sizeof port_name));
}

static void put_row(const bough_net *net, uint64_t link, bough_text *out) {
    bough_link_end end = net->ops->link_end(net, link);
    uint64_t rate = net->ops->link_rate ? net->ops->link_rate(net, link) : 0;
    put_end(net, bough_link_start(net, link), net->ops->link_port(net, link), out);
    put_end(net, end.node, end.port, out);
    char text[32];
    bough_text_printf(out, "%s\n", rate ? export_rate(rate, text, sizeof text) : "");
}

static void put_rows_of(const bough_net *net, uint64_t node, bough_text *out) {
    for (node_links at = node_links_of(net, node); node_links_next(&at);)
        if (bough_cable_works(net, at.link)) put_row(net, at.link, out);
}

/* Host cables come first, in the order of the hosts, which determines their addresses when the file is
 * read. */
bough_status export_csv(const bough_net *net, bough_text *out, bough_error *error) {
    bough_status status = check_cables(net, "CSV", error);
    if (!status && !net->ops->link_port)
        status = bough_fail(error, BOUGH_UNSUPPORTED, NULL, "%s has no numbered ports", net->spec);
    if (status) return status;
    bough_text_put(out, "node,kind,port,node,kind,port,rate\n");
    for (uint64_t e = 0; e < net->endpoints; e++) put_rows_of(net, e, out);
    for (uint64_t l = 0; l < net->links; l++)
        if (l < net->ops->link_twin(net, l) && bough_cable_works(net, l) &&
            bough_link_start(net, l) >= net->endpoints && net->ops->link_end(net, l).node >= net->endpoints)
            put_row(net, l, out);
    return export_finished(out, error);
}

/* ---- anynet ---- */

static bough_status put_router(const bough_net *net, uint64_t node, uint64_t *seen, bough_text *out,
                               bough_error *error) {
    char a[160], b[160];
    bough_text_printf(out, "router %" PRIu64, node - net->endpoints);
    for (node_links at = node_links_of(net, node); node_links_next(&at);) {
        uint64_t to = net->ops->link_end(net, at.link).node;
        if (!bough_cable_works(net, at.link)) continue;
        if (seen[to] == node)
            return bough_fail(
                error, BOUGH_UNSUPPORTED, NULL,
                "anynet supports one channel between two routers; %s and %s have several cables",
                bough_node_name(net, node, a, sizeof a), bough_node_name(net, to, b, sizeof b));
        if (to < net->endpoints && seen[to] != BOUGH_NONE)
            return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                              "anynet supports one router per node; %s has several",
                              bough_node_name(net, to, a, sizeof a));
        seen[to] = node;
        if (to < net->endpoints)
            bough_text_printf(out, " node %" PRIu64, to);
        else if (to > node) /* implies the other direction */
            bough_text_printf(out, " router %" PRIu64, to - net->endpoints);
    }
    bough_text_put(out, "\n");
    return BOUGH_OK;
}

bough_status export_anynet(const bough_net *net, bough_text *out, bough_error *error) {
    uint64_t *seen = NULL; /* the last router with a channel to it */
    bough_status status = check_cables(net, "anynet", error);
    TRY(bough_alloc(&seen, net->nodes, sizeof *seen, error));
    if (status) return status;
    for (uint64_t v = 0; v < net->nodes; v++) seen[v] = BOUGH_NONE;
    for (uint64_t v = net->endpoints; v < net->nodes && !status; v++)
        status = put_router(net, v, seen, out, error);
    for (uint64_t e = 0; e < net->endpoints && !status; e++)
        if (seen[e] == BOUGH_NONE)
            status = bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                                "anynet numbers nodes without gaps; a node is disconnected");
    free(seen);
    return status ? status : export_finished(out, error);
}

/* ---- htsim ---- */

static void put_tier(const xgft_shape *s, unsigned t, bough_text *out) {
    bool top = t + 1 == s->levels;
    bough_text_printf(out, "\nTier %u\nDownlink_speed_Gbps 100\nRadix_Down %" PRIu64 "\n", t,
                      s->m[t] * s->p[t]);
    if (!top) bough_text_printf(out, "Radix_Up %" PRIu64 "\n", s->w[t + 1] * s->p[t + 1]);
    bough_text_put(out, "Downlink_Latency_ns 1000\nSwitch_Latency_ns 0\n");
    if (!top)
        bough_text_printf(out, "Oversubscribed %" PRIu64 "\n",
                          s->m[t] * s->p[t] / (s->w[t + 1] * s->p[t + 1]));
    if (t) bough_text_printf(out, "Bundle %" PRIu64 "\n", s->p[t]);
}

/* 100 Gb/s and 1 us per cable, as in the examples of htsim. */
bough_status export_topo(const bough_net *net, bough_text *out, bough_error *error) {
    const xgft_shape *s = xgft_shape_of(net);
    if (!s || net->faults || s->levels < 2 || s->levels > 3 || s->w[0] != 1 || s->p[0] != 1)
        return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                          "htsim supports complete fat-trees of two or three levels (xgft, clos, kary) with "
                          "one cable per host, not %s",
                          net->spec);
    uint64_t pod = s->m[0] * s->m[1];
    for (unsigned t = 0; t + 1 < s->levels; t++)
        if (s->m[t] * s->p[t] % (s->w[t + 1] * s->p[t + 1]) != 0)
            return bough_fail(error, BOUGH_UNSUPPORTED, NULL,
                              "htsim requires integer oversubscription; level %u of %s has %" PRIu64
                              " cables down and %" PRIu64 " up",
                              t + 1, net->spec, s->m[t] * s->p[t], s->w[t + 1] * s->p[t + 1]);
    char name[200];
    bough_text_printf(out, "# %s\nNodes %" PRIu64 "\nTiers %u\nPodsize %" PRIu64 "\n",
                      export_name(net->spec, name, sizeof name), net->endpoints, s->levels, pod);
    for (unsigned t = 0; t < s->levels; t++) put_tier(s, t, out);
    return export_finished(out, error);
}
