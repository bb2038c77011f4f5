/* Failures as JSON, and the names of what fails. */
#include "base/json/json_build.h"
#include "report/check/check_json_parts.h"
#include "report/check/check_render.h"

#include <inttypes.h>
#include <stdio.h>

/* "leaf1/19 - spine2/3", for a link that is half of a cable; else the name of the link, or of the switch. */
const char *failure_name(const bough_net *net, const bough_failure *r, char *buffer, size_t size) {
    char from[160], to[160];
    if (r->link == BOUGH_NONE) return bough_node_name(net, r->node, buffer, size);
    uint64_t twin = net->ops->link_twin ? net->ops->link_twin(net, r->link) : BOUGH_NONE;
    if (twin == BOUGH_NONE || !net->ops->link_port) return bough_link_name(net, r->link, buffer, size);
    snprintf(buffer, size, "%s/%" PRIu32 " - %s/%" PRIu32,
             bough_node_name(net, bough_link_start(net, r->link), from, sizeof from),
             net->ops->link_port(net, r->link),
             bough_node_name(net, bough_link_start(net, twin), to, sizeof to),
             net->ops->link_port(net, twin));
    return buffer;
}

static json_t *json_load(const bough_failure_load *m) {
    json_t *o = json_object();
    bough_json_put(&o, "pairs", check_whole(m->pairs));
    bough_json_put(&o, "alltoall_max", check_whole(m->alltoall_max));
    bough_json_put(&o, "alltoall_mean", bough_json_real(m->alltoall_mean));
    bough_json_put(&o, "slowdown", bough_json_real(m->slowdown));
    bough_json_put(&o, "shift_max", check_whole(m->shift_max));
    bough_json_put(&o, "shift_mean", bough_json_real(m->shift_mean));
    return o;
}

static json_t *json_item(const bough_net *net, const bough_failure *r) {
    json_t *o = json_object();
    char name[400];
    bough_json_put(&o, "name", bough_json_string(failure_name(net, r, name, sizeof name)));
    bough_json_put(&o, "level",
                   check_whole(r->link == BOUGH_NONE ? net->ops->node_level(net, r->node)
                                                     : bough_link_level(net, r->link)));
    bough_json_put(&o, "lost", check_whole(r->lost));
    bough_json_put(&o, "cut", check_whole(r->cut));
    bough_json_put(&o, "cut_own", check_whole(r->own));
    bough_json_put(&o, "endpoints_gone", check_whole(r->gone));
    bough_json_put(&o, "alike", check_whole(r->alike));
    bough_json_put(&o, "as_is", json_load(&r->as_is));
    bough_json_put(&o, "rerouted", json_load(&r->rerouted));
    return o;
}

static json_t *json_list(const bough_net *net, const bough_check_failures *f,
                         const bough_failure_list *list) {
    json_t *o = json_object(), *items = json_array();
    bough_json_put(&o, "spec", bough_json_string(list->spec));
    bough_json_put(&o, "tables", json_string(f->made ? "minimal" : "given"));
    bough_json_put(&o, "count", check_whole(list->count));
    bough_json_put(&o, "idle", check_whole(list->idle));
    bough_json_put(&o, "harmless", check_whole(list->harmless));
    bough_json_put(&o, "whole", json_load(&f->whole));
    for (size_t i = 0; i < list->count; i++) bough_json_append(&items, json_item(net, &list->item[i]));
    bough_json_put(&o, "items", items);
    return o;
}

static void set_stats(json_t **o, const char *name, const bough_stats *s) {
    char key[64];
    bough_json_put(o, name, bough_json_real(s->mean));
    snprintf(key, sizeof key, "%s_ci95", name);
    bough_json_put(o, key, s->count > 1 ? bough_json_real(bough_stats_ci95(s)) : json_null());
}

static json_t *json_curve(const bough_check_failures *f, const bough_degradation *c) {
    json_t *o = json_object(), *steps = json_array();
    bough_json_put(&o, "spec", bough_json_string(c->spec));
    bough_json_put(&o, "tables", json_string(f->made ? "minimal" : "given"));
    bough_json_put(&o, "trials", check_whole(c->trials));
    for (size_t i = 0; i < c->count; i++) {
        const bough_degradation_step *s = &c->step[i];
        json_t *one = json_object();
        bough_json_put(&one, "share", bough_json_real(s->share));
        set_stats(&one, "connected_as_is", &s->as_is);
        set_stats(&one, "connected", &s->rerouted);
        bough_json_put(&one, "connected_min", bough_json_real(s->worst));
        set_stats(&one, "alltoall_max", &s->max);
        set_stats(&one, "alltoall_mean", &s->mean);
        set_stats(&one, "slowdown", &s->slowdown);
        set_stats(&one, "shift_mean", &s->shift);
        bough_json_append(&steps, one);
    }
    bough_json_put(&o, "steps", steps);
    return o;
}

void check_failures_json(json_t **object, const bough_net *net, const bough_check_failures *f) {
    if (f->lists) {
        json_t *lists = json_array();
        for (size_t i = 0; i < f->lists; i++) bough_json_append(&lists, json_list(net, f, &f->list[i]));
        bough_json_put(object, "failures", lists);
    }
    if (f->missing) {
        json_t *o = json_object();
        bough_json_put(&o, "spec", bough_json_string(f->missing));
        bough_json_put(&o, "lost", check_whole(f->without.lost));
        bough_json_put(&o, "cut", check_whole(f->without.cut));
        bough_json_put(&o, "endpoints_gone", check_whole(f->without.gone));
        bough_json_put(&o, "whole", json_load(&f->whole));
        bough_json_put(&o, "as_is", json_load(&f->without.as_is));
        bough_json_put(&o, "rerouted", json_load(&f->without.rerouted));
        bough_json_put(object, "without", o);
    }
    if (f->curves) {
        json_t *curves = json_array();
        for (size_t i = 0; i < f->curves; i++) bough_json_append(&curves, json_curve(f, &f->curve[i]));
        bough_json_put(object, "degradation", curves);
    }
}
