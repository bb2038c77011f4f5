/* Next hops: every switch has a row of runs over the endpoints, each run a set of links; equal sets stand
 * once. With tables the sets are single links, and endpoints of one leaf follow each other: a row is about as
 * long as there are leaves. */
#include "report/pages/fabric_page_network.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "report/drawings/drawing.h"
#include "report/pages/fabric_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool page_net_fits(const bough_net *net) {
    return net->nodes <= drawing_zoomable.boxes && net->links <= drawing_zoomable.lines;
}

/* ---- drawings ---- */

/* A position from 0 to 1. */
static void put_position(json_writer *w, double x, double low, double high) {
    json_put_real(w, NULL, high > low ? round(1e6 * (x - low) / (high - low)) / 1e6 : 0.5);
}

static void put_box(json_writer *w, const drawing *d, const drawing_box *b) {
    json_begin_array(w, NULL, true);
    json_put_whole(w, NULL, b->row);
    put_position(w, b->x, d->left, d->right);
    put_position(w, b->slot, 0, d->right - d->left);
    json_put_text(w, NULL, b->label);
    if (d->placed) put_position(w, b->y, d->top, d->bottom);
    json_end_array(w);
}

static bough_status put_drawing(json_writer *w, const bough_net *net, bough_error *error) {
    drawing d;
    bough_status status = drawing_make(net, &(drawing_options){.limits = &drawing_zoomable}, &d, error);
    if (!status) {
        json_begin_object(w, "drawing", true);
        json_put_text(w, "merged", d.merged);
        json_begin_array(w, "box_of", true);
        for (uint64_t v = 0; v < net->nodes; v++) json_put_whole(w, NULL, d.box_of[v]);
        json_end_array(w);
        json_begin_array(w, "boxes", true);
        for (size_t i = 0; i < d.boxes; i++) put_box(w, &d, &d.box[i]);
        json_end_array(w);
        json_begin_array(w, "frames", true);
        for (size_t i = 0; i < d.frames; i++) {
            json_put_whole(w, NULL, d.frame[i].first);
            json_put_whole(w, NULL, d.frame[i].last);
        }
        json_end_array(w);
        json_end_object(w);
    }
    drawing_fini(&d);
    return status;
}

void page_put_layout(json_writer *w, const bough_net *net) {
    bough_text svg = {0};
    bough_status status = BOUGH_UNSUPPORTED;
    for (const bough_format *f = bough_formats; f->name; f++)
        if (strcmp(f->name, "layout.svg") == 0 && f->write && !net->fabric && !net->faults &&
            net->endpoints <= FABRIC_PAGE_LAYOUT)
            status = f->write(net, &svg, NULL);
    if (svg.failed || status == BOUGH_NO_MEMORY) w->out->failed = true;
    json_put_text(w, "layout", status || svg.failed ? NULL : svg.data);
    bough_text_fini(&svg);
}

/* The output port of a link: its number, or its name where the file has one. */
static void put_port(json_writer *w, const bough_net *net, uint64_t link) {
    const uint32_t port = net->ops->link_port(net, link);
    const char *name =
        net->ops->port_name ? net->ops->port_name(net, bough_link_start(net, link), port) : NULL;
    if (name)
        json_put_text(w, NULL, name);
    else
        json_put_whole(w, NULL, bough_port_number(net, port));
}

bough_status page_put_net(json_writer *w, const bough_net *net, bough_error *error) {
    char name[200];
    json_begin_object(w, "net", true);
    json_put_whole(w, "endpoints", (int64_t)net->endpoints);
    json_begin_array(w, "names", true);
    for (uint64_t v = 0; v < net->nodes; v++)
        json_put_text(w, NULL, bough_node_name(net, v, name, sizeof name));
    json_end_array(w);
    json_begin_array(w, "level", true);
    for (uint64_t v = 0; v < net->nodes; v++) json_put_whole(w, NULL, net->ops->node_level(net, v));
    json_end_array(w);
    json_begin_array(w, "from", true);
    for (uint64_t l = 0; l < net->links; l++) json_put_whole(w, NULL, (int64_t)bough_link_start(net, l));
    json_end_array(w);
    json_begin_array(w, "to", true);
    for (uint64_t l = 0; l < net->links; l++)
        json_put_whole(w, NULL, (int64_t)net->ops->link_end(net, l).node);
    json_end_array(w);
    json_begin_array(w, "port", true);
    for (uint64_t l = 0; l < net->links && net->ops->link_port; l++) put_port(w, net, l);
    json_end_array(w);
    json_begin_array(w, "dead", true);
    for (uint64_t l = 0; l < net->links; l++)
        if (!bough_link_alive(net, l)) json_put_whole(w, NULL, (int64_t)l);
    json_end_array(w);
    bough_status status = put_drawing(w, net, error);
    json_end_object(w);
    return status;
}

void page_put_weights(json_writer *w, const bough_net *net, const bough_link_rates *rates) {
    json_begin_array(w, "weights", true);
    for (uint64_t l = 0; l < net->links && bough_link_rates_mixed(rates); l++)
        json_put_real(w, NULL, round(1e4 * bough_link_weight(net, rates, l)) / 1e4);
    json_end_array(w);
}

/* ---- packaging ---- */

typedef struct box_list {
    bough_box *box;
    size_t count;
} box_list;

static void keep_box(void *context, const bough_box *box) {
    box_list *list = context;
    if (list->count < FABRIC_PAGE_BOXES) list->box[list->count] = *box;
    list->count++;
}

static void put_stages(json_writer *w, const bough_packaging *packaging, const box_list *list) {
    json_begin_object(w, "packaging", true);
    json_begin_array(w, "stages", true);
    for (unsigned s = 0; s < packaging->stages; s++) {
        json_begin_object(w, NULL, true);
        json_put_text(w, "name", packaging->stage[s].name);
        json_begin_array(w, "boxes", true);
        for (size_t i = 0; i < list->count; i++)
            for (int k = 0; k < 6 && list->box[i].stage == s; k++)
                json_put_real(w, NULL,
                              round(1e4 * (k < 3 ? list->box[i].centre[k] : list->box[i].size[k - 3])) / 1e4);
        json_end_array(w);
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
}

bough_status page_put_packaging(json_writer *w, const bough_net *net, bool *left_out, bough_error *error) {
    box_list list = {0};
    *left_out = false;
    if (!net->packaging) {
        json_put_text(w, "packaging", NULL);
        return BOUGH_OK;
    }
    bough_status status = bough_alloc(&list.box, FABRIC_PAGE_BOXES, sizeof *list.box, error);
    if (!status) {
        bough_error reason;
        bough_status drawn = bough_hollow_cube_boxes(net->packaging, keep_box, &list, &reason);
        *left_out = drawn != BOUGH_OK || list.count > FABRIC_PAGE_BOXES;
    }
    if (!status && !*left_out)
        put_stages(w, net->packaging, &list);
    else
        json_put_text(w, "packaging", NULL);
    free(list.box);
    return status;
}

/* ---- next hops ---- */

/* Sets of links, found again by their links. */
typedef struct hop_sets {
    uint64_t *link; /* of all sets, one after the other */
    size_t links, link_capacity;
    size_t *first; /* [count + 1] */
    size_t count, capacity;
} hop_sets;

static bool same_set(const hop_sets *s, size_t i, const bough_route *route) {
    if (s->first[i + 1] - s->first[i] != route->count) return false;
    for (uint32_t k = 0; k < route->count; k++)
        if (s->link[s->first[i] + k] != bough_route_link(route, k)) return false;
    return true;
}

static bough_status add_set(hop_sets *s, const bough_route *route, bough_error *error) {
    bough_status status = bough_grow(&s->first, &s->capacity, s->count + 2, sizeof *s->first, error);
    TRY(bough_grow(&s->link, &s->link_capacity, s->links + route->count, sizeof *s->link, error));
    if (status) return status;
    s->first[0] = 0;
    for (uint32_t k = 0; k < route->count; k++) s->link[s->links++] = bough_route_link(route, k);
    s->first[++s->count] = s->links;
    return BOUGH_OK;
}

/* The number of a route's set; from: the first set of this node, as others share no links with it. */
static bough_status find_set(hop_sets *s, size_t from, const bough_route *route, int64_t *at,
                             bough_error *error) {
    if (route->count == 0) {
        *at = -1;
        return BOUGH_OK;
    }
    for (size_t i = from; i < s->count; i++)
        if (same_set(s, i, route)) {
            *at = (int64_t)i;
            return BOUGH_OK;
        }
    bough_status status = add_set(s, route, error);
    *at = (int64_t)s->count - 1;
    return status;
}

typedef struct hop_rows {
    const bough_routing *routing;
    hop_sets sets;
    int64_t *run; /* set, count, set, count, ... of all rows */
    size_t runs, capacity;
    size_t *end; /* of each node's row; hosts have one too: what they send by */
} hop_rows;

static bough_status add_run(hop_rows *r, int64_t set, size_t row, bough_error *error) {
    if (r->runs > row && r->run[r->runs - 2] == set) {
        r->run[r->runs - 1]++;
        return BOUGH_OK;
    }
    bough_status status = bough_grow(&r->run, &r->capacity, r->runs + 2, sizeof *r->run, error);
    if (status) return status;
    r->run[r->runs++] = set;
    r->run[r->runs++] = 1;
    return BOUGH_OK;
}

static bough_status make_row(hop_rows *r, uint64_t node, bough_error *error) {
    const bough_net *net = r->routing->net;
    size_t row = r->runs, from = r->sets.count;
    bough_status status = BOUGH_OK;
    for (uint64_t e = 0; e < net->endpoints && !status; e++) {
        bough_flow flow = {.source = node < net->endpoints ? node : 0,
                           .address = bough_endpoint_address(net, e)};
        bough_route route = {0};
        int64_t set = -1;
        if (e != node) bough_route_at(r->routing, node, &flow, &route);
        status = find_set(&r->sets, from, &route, &set, error);
        TRY(add_run(r, set, row, error));
    }
    r->end[node] = r->runs;
    return status;
}

static void put_rows(json_writer *w, const hop_rows *r) {
    const bough_net *net = r->routing->net;
    json_begin_object(w, "hops_to", true);
    json_begin_array(w, "sets", true);
    for (size_t i = 0; i < r->sets.count; i++) {
        json_begin_array(w, NULL, true);
        for (size_t k = r->sets.first[i]; k < r->sets.first[i + 1]; k++)
            json_put_whole(w, NULL, (int64_t)r->sets.link[k]);
        json_end_array(w);
    }
    json_end_array(w);
    json_begin_array(w, "rows", true); /* of all nodes: hosts send by theirs */
    for (uint64_t v = 0; v < net->nodes; v++) {
        json_begin_array(w, NULL, true);
        for (size_t i = v ? r->end[v - 1] : 0; i < r->end[v]; i++) json_put_whole(w, NULL, r->run[i]);
        json_end_array(w);
    }
    json_end_array(w);
    json_end_object(w);
}

bough_status page_put_hops(json_writer *w, const bough_routing *routing, const char **why,
                           bough_error *error) {
    const bough_net *net = routing->net;
    hop_rows r = {.routing = routing};
    *why = NULL;
    if (routing->kind->via)
        *why = "they go by way of another node";
    else if (routing->kind->route && !routing->kind->by_address)
        *why = "the next hop depends on more than the destination";
    else if (!page_net_fits(net))
        *why = "the network is too large for this page";
    if (*why) {
        json_put_text(w, "hops_to", NULL);
        return BOUGH_OK;
    }
    bough_status status = bough_alloc(&r.end, net->nodes, sizeof *r.end, error);
    for (uint64_t v = 0; v < net->nodes && !status && !*why; v++) {
        if (net->ops->node_group_count(net, v))
            status = make_row(&r, v, error);
        else
            r.end[v] = r.runs;
        if (r.runs > 2 * (size_t)FABRIC_PAGE_HOPS || r.sets.links > FABRIC_PAGE_HOPS)
            *why = "they are too many for this page";
    }
    if (!status && *why)
        json_put_text(w, "hops_to", NULL);
    else if (!status)
        put_rows(w, &r);
    free(r.end);
    free(r.run);
    free(r.sets.link);
    free(r.sets.first);
    return status;
}
