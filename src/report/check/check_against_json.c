/* The comparison with the fabric before a change, as JSON. */
#include "base/json/json_build.h"
#include "report/check/check_changes.h"
#include "report/check/check_json_parts.h"
#include "report/tables/network_object.h"

static json_t *json_counts(change_counts all) {
    json_t *o = json_object();
    for (const change_count *c = all.of; c < all.of + COUNTS_MAX && c->key; c++)
        bough_json_put(&o, c->key, check_whole(c->value));
    return o;
}

static json_t *loads_object(const bough_check_result *r) {
    json_t *o = json_object();
    bough_json_put(&o, "routed", check_whole(r->routed));
    bough_json_put(&o, "alltoall_max", bough_json_real(r->alltoall_max));
    bough_json_put(&o, "shift_max", bough_json_real(r->shift_max));
    bough_json_put(&o, "shift_mean", bough_json_real(r->shift_mean));
    return o;
}

static json_t *json_links(const bough_check_against *a, const bough_net *now) {
    json_t *links = json_array();
    char name[300];
    for (size_t i = 0; i < a->changes.links; i++) {
        const bough_load_change *c = &a->changes.link[i];
        json_t *o = json_object();
        bough_json_put(&o, "link", bough_json_string(bough_link_name(now, c->link, name, sizeof name)));
        bough_json_put(&o, "before", bough_json_real(c->before));
        bough_json_put(&o, "now", bough_json_real(c->now));
        bough_json_append(&links, o);
    }
    return links;
}

static void add_routing(json_t **o, const bough_check_against *a, const bough_net *now,
                        const bough_check_result *after) {
    const bough_routing_changes *r = &a->changes;
    bough_json_put(o, "pairs", r->paths ? json_counts(change_count_pairs(r)) : json_null());
    bough_json_put(o, "before", loads_object(&r->before));
    bough_json_put(o, "now", loads_object(after));
    bough_json_put(o, "links", json_links(a, now));
}

json_t *check_against_json(const bough_check_report *report) {
    const bough_check_against *a = &report->against;
    json_t *o = json_object(), *findings = json_array();
    bough_json_put(&o, "network", network_object(a->old));
    bough_json_put(&o, "routing", a->routing ? bough_json_string(a->routing->spec) : json_null());
    bough_json_put(&o, "hosts", json_counts(change_count_nodes(&a->fabric.host)));
    bough_json_put(&o, "switches", json_counts(change_count_nodes(&a->fabric.other)));
    bough_json_put(&o, "host_cables", json_counts(change_count_cables(&a->fabric.access)));
    bough_json_put(&o, "cables", json_counts(change_count_cables(&a->fabric.inner)));
    if (a->routed)
        add_routing(&o, a, report->net, &report->part[0].result);
    else
        bough_json_put(&o, "not_compared", bough_json_string(a->why));
    check_add_findings(&findings, &a->findings);
    bough_json_put(&o, "findings", findings);
    return o;
}
