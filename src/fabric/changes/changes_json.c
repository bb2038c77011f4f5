/* The comparison with the fabric before a change, as JSON. */
#include "fabric/changes/change_counts.h"
#include "fabric/check/check_json_parts.h"
#include "network/network_object.h"

static void put_counts(json_writer *w, const char *key, change_counts all) {
    json_begin_object(w, key, true);
    for (const change_count *c = all.of; c < all.of + COUNTS_MAX && c->key; c++)
        json_put_whole(w, c->key, (int64_t)c->value);
    json_end_object(w);
}

static void put_loads(json_writer *w, const char *key, const bough_check_result *r) {
    json_begin_object(w, key, true);
    json_put_whole(w, "routed", (int64_t)r->routed);
    json_put_real(w, "alltoall_max", r->alltoall_max);
    json_put_real(w, "shift_max", r->shift_max);
    json_put_real(w, "shift_mean", r->shift_mean);
    json_end_object(w);
}

static void put_links(json_writer *w, const bough_routing_changes *changes, const bough_net *now) {
    json_begin_array(w, "links", false);
    for (size_t i = 0; i < changes->links; i++) {
        const bough_load_change *c = &changes->link[i];
        json_begin_object(w, NULL, true);
        check_put_link(w, "link", now, c->link);
        json_put_real(w, "before", c->before);
        json_put_real(w, "now", c->now);
        json_end_object(w);
    }
    json_end_array(w);
}

static void put_routing(json_writer *w, const bough_check_report *report) {
    const bough_routing_changes *r = &report->against.changes;
    if (r->paths)
        put_counts(w, "pairs", change_count_pairs(r));
    else
        json_put_text(w, "pairs", NULL);
    put_loads(w, "before", &r->before);
    put_loads(w, "now", &report->part[0].result);
    put_links(w, r, report->net);
}

void check_put_against(json_writer *w, const bough_check_report *report) {
    const bough_check_against *a = &report->against;
    json_begin_object(w, "against", false);
    network_object_begin(w, a->old, network_object_spec(a->old));
    json_end_object(w);
    json_put_text(w, "routing", a->routing ? a->routing->spec : NULL);
    put_counts(w, "hosts", change_count_nodes(&a->fabric.host));
    put_counts(w, "switches", change_count_nodes(&a->fabric.other));
    put_counts(w, "host_cables", change_count_cables(&a->fabric.access));
    put_counts(w, "cables", change_count_cables(&a->fabric.inner));
    if (a->routed)
        put_routing(w, report);
    else
        json_put_text(w, "not_compared", a->why);
    check_put_findings(w, report, FINDINGS_OF_COMPARISON, 0);
    json_end_object(w);
}
