/* Writes a network under a routing as a SimGrid platform. A complete fat-tree without parallel cables under
 * dmodk becomes a FAT_TREE cluster of SimGrid, which uses the same routes (between parallel cables it chooses
 * by source on the way down, dmodk by destination). Everything else becomes a zone with one link per
 * direction and the route of every pair. */
#include "base/text/escape.h"
#include "base/text/text.h"
#include "network/export/network_exports.h"
#include "network/families/xgft_tree.h"
#include "routing/routing_list.h"

#include <inttypes.h>

/* The defaults of `flow`. */
#define RATE UINT64_C(100000000000)
enum { HOPS_MAX = 1024, LINKS_MAX = 1 << 24 };

static const char head[] =
    "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
    "<platform version=\"4.1\">\n";

static void put_list(bough_text *out, const uint64_t *list, unsigned count) {
    for (unsigned i = 0; i < count; i++) bough_text_printf(out, "%s%" PRIu64, i ? "," : "", list[i]);
}

/* The shape, if SimGrid's own cluster can represent the network; else NULL. */
static const xgft_shape *cluster(const bough_routing *r) {
    const xgft_shape *s = r->net->faults ? NULL : xgft_shape_of(r->net);
    if (!s || r->kind != &bough_routing_dmodk) return NULL;
    for (unsigned i = 0; i < s->levels; i++)
        if (s->p[i] != 1) return NULL;
    return s;
}

static void put_cluster(const bough_net *net, const xgft_shape *s, bough_text *out) {
    bough_text_printf(out,
                      "  <cluster id=\"bough\" prefix=\"h\" suffix=\"\" radical=\"0-%" PRIu64
                      "\" speed=\"1Gf\" bw=\"%" PRIu64
                      "bps\" lat=\"100ns\"\n           topology=\"FAT_TREE\" "
                      "topo_parameters=\"%u;",
                      net->endpoints - 1, RATE, s->levels);
    put_list(out, s->m, s->levels);
    bough_text_put(out, ";");
    put_list(out, s->w, s->levels);
    bough_text_put(out, ";");
    put_list(out, s->p, s->levels);
    bough_text_put(out, "\"/>\n");
}

/* An identifier within XML quotes. */
static void put_name(const bough_net *net, uint64_t node, bough_text *out) {
    char name[160];
    bough_text_put_xml(out, bough_node_name(net, node, name, sizeof name));
}

static bough_status put_routes(const bough_routing *r, bough_text *out, bough_error *error) {
    const bough_net *net = r->net;
    char from[160], to[160];
    uint64_t path[HOPS_MAX], listed = 0;
    for (uint64_t s = 0; s < net->endpoints; s++)
        for (uint64_t t = 0; t < net->endpoints; t++) {
            bough_flow flow = {s, bough_endpoint_address(net, t), 0};
            if (s == t) continue;
            int length = bough_path(r, &flow, path, HOPS_MAX);
            if (length <= 0)
                return bough_fail(error, BOUGH_INVALID, NULL,
                                  "%s has no route from %s to %s; SimGrid requires one for every pair",
                                  r->spec, bough_node_name(net, s, from, sizeof from),
                                  bough_node_name(net, t, to, sizeof to));
            listed += (uint64_t)length;
            if (out->failed) return bough_fail_memory(error, out->length);
            if (listed > LINKS_MAX)
                return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                                  "the routes of all pairs of %s contain more than %d links", net->spec,
                                  LINKS_MAX);
            bough_text_put(out, "    <route src=\"");
            put_name(net, s, out);
            bough_text_put(out, "\" dst=\"");
            put_name(net, t, out);
            bough_text_put(out, "\" symmetrical=\"NO\">");
            for (int i = 0; i < length; i++)
                bough_text_printf(out, "<link_ctn id=\"l%" PRIu64 "\"/>", path[i]);
            bough_text_put(out, "</route>\n");
        }
    return BOUGH_OK;
}

static bough_status put_zone(const bough_routing *r, bough_text *out, bough_error *error) {
    const bough_net *net = r->net;
    bough_text_put(out, "  <zone id=\"bough\" routing=\"Full\">\n");
    for (uint64_t e = 0; e < net->endpoints; e++) {
        bough_text_put(out, "    <host id=\"");
        put_name(net, e, out);
        bough_text_put(out, "\" speed=\"1Gf\"/>\n");
    }
    for (uint64_t l = 0; l < net->links; l++) {
        uint64_t rate = bough_net_known_rate(net, l);
        if (!bough_link_alive(net, l)) continue;
        double ns = net->ops->link_delay ? (double)bough_net_link_delay(net, l) / 1e3 : 100;
        bough_text_printf(
            out, "    <link id=\"l%" PRIu64 "\" bandwidth=\"%" PRIu64 "bps\" latency=\"%.12gns\"/>\n", l,
            rate ? rate : RATE, ns);
    }
    bough_status status = put_routes(r, out, error);
    bough_text_put(out, "  </zone>\n");
    return status;
}

bough_status bough_simgrid_write(const bough_routing *r, void *text, bough_error *error) {
    bough_text *out = text;
    const xgft_shape *s = cluster(r);
    bough_status status = export_check_size(r->net, error);
    if (status) return status;
    if (!bough_routing_deterministic(r))
        return bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "`%s` leaves a choice of links; SimGrid supports one route per pair: dmodk, updn, hash, ...",
            r->spec);
    bough_text_put(out, head);
    if (s)
        put_cluster(r->net, s, out);
    else
        status = put_zone(r, out, error);
    bough_text_put(out, "</platform>\n");
    return status ? status : export_finished(out, error);
}
