/* Everything is gathered in one pass over the links for each routing: the largest loads of levels, pods and
 * switches. A cable between switches counts for the lower of its ends. Links of hosts are counted by level
 * only: under all-to-all every host sends to all others. */
#include "report/pods/page_pods.h"

#include "base/memory/memory.h"
#include "base/status/try.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 64 };

/* Of a set of links, in one direction. */
typedef struct link_sum {
    uint64_t links, most; /* most: the most loaded one */
    double max, sum;
} link_sum;

typedef struct pod_loads {
    double up, down, inside; /* on a link out of the pod, into it, within it */
    uint64_t cables;         /* out of it */
} pod_loads;

typedef struct tally {
    const bough_net *net;
    const pods *p;
    const double *load; /* per link; NULL: not known */
    const bough_link_rates *rates;
    link_sum level[LEVELS][2]; /* by the level of the lower end; up, down */
    pod_loads *pod;
    float *most[2];                /* per node: largest load of a link up from it, and down to it */
    uint64_t top[PAGE_PODS_LINKS]; /* the most loaded links between switches */
    size_t tops;
    uint64_t equal; /* links with the load of the first of them */
} tally;

/* As at the nominal rate: the link that takes longest has the largest. */
static double load_of(const tally *t, uint64_t link) {
    return t->load[link] * bough_link_weight(t->net, t->rates, link);
}

/* Links of equal load stay in their order. */
static void add_top(tally *t, uint64_t link) {
    const double load = load_of(t, link);
    if (t->tops == PAGE_PODS_LINKS && load_of(t, t->top[t->tops - 1]) >= load) return;
    size_t i = t->tops < PAGE_PODS_LINKS ? t->tops++ : t->tops - 1;
    for (; i > 0 && load_of(t, t->top[i - 1]) < load; i--) t->top[i] = t->top[i - 1];
    t->top[i] = link;
}

static void add_level(tally *t, unsigned level, bool down, uint64_t link) {
    link_sum *s = &t->level[level < LEVELS ? level : LEVELS - 1][down];
    double load = load_of(t, link);
    if (!s->links++ || load > s->max) s->max = load, s->most = link;
    s->sum += load;
}

static void add_pods(tally *t, uint64_t from, uint64_t to, double load) {
    uint32_t a = t->p->of[from], b = t->p->of[to];
    if (a == b && a != PODS_NONE && load > t->pod[a].inside) t->pod[a].inside = load;
    if (a != b && a != PODS_NONE && load > t->pod[a].up) t->pod[a].up = load;
    if (a != b && b != PODS_NONE && load > t->pod[b].down) t->pod[b].down = load;
    if (a != b && a != PODS_NONE) t->pod[a].cables++;
}

static void add_link(tally *t, uint64_t link) {
    const bough_net *net = t->net;
    uint64_t from = bough_link_start(net, link), to = net->ops->link_end(net, link).node;
    unsigned a = net->ops->node_level(net, from), b = net->ops->node_level(net, to);
    bool down = b < a || (a == b && to < from);
    if (!bough_link_alive(net, link)) return;
    add_level(t, a < b ? a : b, down, link);
    if (!bough_is_switch(net, from) || !bough_is_switch(net, to)) return;
    const float load = (float)load_of(t, link);
    float *most = &t->most[down][down ? to : from];
    if (load > *most) *most = load;
    add_pods(t, from, to, load_of(t, link));
    if (load > 0) add_top(t, link);
}

static void tally_fini(tally *t) {
    FREE_ALL(t->pod, t->most[0], t->most[1]);
}

static bough_status tally_make(tally *t, const page_pods *page, size_t part, bough_error *error) {
    const bough_net *net = page->report->net;
    const double *load = page->report->part[part].result.load;
    const pods *p = page->pods;
    *t = (tally){.net = net, .p = p, .load = load, .rates = &page->report->rates};
    bough_status status = bough_alloc(&t->pod, p->count, sizeof *t->pod, error);
    for (int i = 0; i < 2; i++) TRY(bough_alloc(&t->most[i], net->nodes, sizeof *t->most[i], error));
    for (uint64_t l = 0; l < net->links && load && !status; l++) add_link(t, l);
    for (uint64_t l = 0; l < net->links && load && t->tops && !status; l++)
        if (load_of(t, l) >= load_of(t, t->top[0]) * (1 - 1e-9))
            t->equal += bough_is_switch(net, bough_link_start(net, l)) &&
                        bough_is_switch(net, net->ops->link_end(net, l).node);
    return status;
}

/* ---- which pods can be opened ---- */

static double most_of(const pod_loads *l) {
    double most = l->up > l->down ? l->up : l->down;
    return most > l->inside ? most : l->inside;
}

/* The pods with the most loaded links, as many as there is room for. */
static uint32_t choose(const pods *p, const tally *first, bool *open) {
    uint64_t room = PAGE_PODS_SWITCHES;
    uint32_t chosen = 0;
    for (uint32_t n = 0; n < p->count; n++) {
        uint32_t best = PODS_NONE;
        for (uint32_t i = 0; i < p->count; i++)
            if (!open[i] && (best == PODS_NONE || most_of(&first->pod[i]) > most_of(&first->pod[best])))
                best = i;
        if (p->pod[best].switches > room) break;
        room -= p->pod[best].switches;
        open[best] = true;
        chosen++;
    }
    return chosen;
}

/* ---- the values ---- */

/* As drawings need no more digits. */
static void put_load(json_writer *w, double load) {
    char text[40];
    snprintf(text, sizeof text, "%.6g", load);
    json_put_real(w, NULL, strtod(text, NULL));
}

static void put_link(json_writer *w, const bough_net *net, uint64_t link) {
    char name[400];
    json_put_text(w, NULL, bough_link_name(net, link, name, sizeof name));
}

static void put_pods(json_writer *w, const bough_net *net, const pods *p, const bool *open) {
    char name[400];
    json_begin_array(w, "pod", true);
    for (uint32_t i = 0; i < p->count; i++) {
        json_begin_array(w, NULL, true);
        json_put_text(w, NULL, pods_name(p, i, name, sizeof name));
        json_put_whole(w, NULL, (int64_t)p->pod[i].switches);
        json_put_whole(w, NULL, (int64_t)p->pod[i].hosts);
        json_put_text(w, NULL,
                      p->pod[i].switches ? bough_node_name(net, p->pod[i].first, name, sizeof name) : "");
        json_put_whole(w, NULL, open[i]);
        json_end_array(w);
    }
    json_end_array(w);
}

static bool is_listed(const bough_net *net, const pods *p, const bool *open, uint64_t v) {
    return p->of[v] != PODS_NONE && open[p->of[v]] && bough_is_switch(net, v);
}

/* Pod, level, hosts and name of every switch that is listed. */
static bough_status put_switches(json_writer *w, const bough_net *net, const pods *p, const bool *open,
                                 bough_error *error) {
    uint32_t *hosts;
    bough_status status = bough_alloc(&hosts, net->nodes, sizeof *hosts, error);
    if (status) return status;
    for (uint64_t l = 0; l < net->links; l++) {
        uint64_t from = bough_link_start(net, l);
        if (!bough_is_switch(net, from)) hosts[net->ops->link_end(net, l).node]++;
    }
    json_begin_array(w, "switch", true);
    for (uint64_t v = net->endpoints; v < net->nodes; v++) {
        char name[400];
        if (!is_listed(net, p, open, v)) continue;
        json_begin_array(w, NULL, true);
        json_put_whole(w, NULL, p->of[v]);
        json_put_whole(w, NULL, net->ops->node_level(net, v));
        json_put_whole(w, NULL, hosts[v]);
        json_put_text(w, NULL, bough_node_name(net, v, name, sizeof name));
        json_end_array(w);
    }
    json_end_array(w);
    free(hosts);
    return BOUGH_OK;
}

static void put_levels(json_writer *w, const tally *t) {
    json_begin_array(w, "levels", true);
    for (int level = 0; level < LEVELS; level++)
        for (int down = 0; down < 2; down++) {
            const link_sum *s = &t->level[level][down];
            if (!s->links) continue;
            json_begin_array(w, NULL, true);
            json_put_whole(w, NULL, level);
            json_put_whole(w, NULL, down);
            json_put_whole(w, NULL, (int64_t)s->links);
            put_load(w, s->sum / (double)s->links);
            put_load(w, s->max);
            put_link(w, t->net, s->most);
            json_end_array(w);
        }
    json_end_array(w);
}

static void put_top(json_writer *w, const tally *t) {
    json_begin_array(w, "top", true);
    for (size_t i = 0; i < t->tops; i++) {
        uint32_t pod = pods_of_link(t->p, t->net, t->top[i]);
        json_begin_array(w, NULL, true);
        put_link(w, t->net, t->top[i]);
        put_load(w, load_of(t, t->top[i]));
        json_put_whole(w, NULL, pod == PODS_NONE ? -1 : (int64_t)pod);
        json_end_array(w);
    }
    json_end_array(w);
    json_put_whole(w, "equal", (int64_t)t->equal);
}

static void put_pod_loads(json_writer *w, const tally *t) {
    json_begin_array(w, "pods", true);
    for (uint32_t i = 0; i < t->p->count; i++) {
        json_begin_array(w, NULL, true);
        put_load(w, t->pod[i].up);
        put_load(w, t->pod[i].down);
        put_load(w, t->pod[i].inside);
        json_end_array(w);
    }
    json_end_array(w);
}

static void put_routing(json_writer *w, const tally *t, const bool *open) {
    json_begin_object(w, NULL, true);
    put_levels(w, t);
    put_top(w, t);
    put_pod_loads(w, t);
    json_begin_array(w, "switches", true);
    for (uint64_t v = t->net->endpoints; v < t->net->nodes && t->load; v++)
        for (int down = 0; down < 2 && is_listed(t->net, t->p, open, v); down++)
            put_load(w, (double)t->most[down][v]);
    json_end_array(w);
    json_end_object(w);
}

static void put_cables(json_writer *w, const tally *t) {
    json_begin_array(w, "cables", true);
    for (uint32_t i = 0; i < t->p->count; i++) json_put_whole(w, NULL, (int64_t)t->pod[i].cables);
    json_end_array(w);
}

static bough_status put_routings(json_writer *w, const page_pods *page, tally *t, const bool *open,
                                 bough_error *error) {
    const bough_check_report *report = page->report;
    bough_status status = BOUGH_OK;
    put_cables(w, t);
    json_begin_array(w, "routings", true);
    for (size_t i = 0; i < report->parts && !status; i++) {
        if (i) {
            tally_fini(t);
            status = tally_make(t, page, i, error);
        }
        if (!status) put_routing(w, t, open);
    }
    json_end_array(w);
    return status;
}

bough_status page_put_pods(json_writer *w, page_pods *page, bough_error *error) {
    const bough_net *net = page->report->net;
    const pods *p = page->pods;
    tally t = {0};
    bool *open = NULL;
    bough_status status = bough_alloc(&open, p->count, sizeof *open, error);
    TRY(tally_make(&t, page, 0, error));
    if (!status && page->switches) page->open = choose(p, &t, open);
    if (!status) {
        json_begin_object(w, "pods", true);
        json_put_flag(w, "blocks", p->blocks);
        json_put_whole(w, "above", (int64_t)p->above);
        put_pods(w, net, p, open);
        status = put_switches(w, net, p, open, error);
        TRY(put_routings(w, page, &t, open, error));
        json_end_object(w);
    }
    tally_fini(&t);
    free(open);
    return status;
}
