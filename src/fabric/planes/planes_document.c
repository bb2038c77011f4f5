#include "base/text/text.h"
#include "fabric/check/check_document.h"
#include "fabric/check/check_json_parts.h"

#include <inttypes.h>

enum { SHOWN = 8, LACKING = 10, NAME = 160 };

static void put_plane(const check_view *w, const bough_planes *p, size_t i) {
    const bough_plane *plane = &p->plane[i];
    char name[NAME];
    document_fact(w->doc, "",
                  "plane %zu: %" PRIu64 " switch%s (%s ...), %" PRIu64 " endpoint%s of %" PRIu64 " host%s",
                  i + 1, plane->switches, plane->switches == 1 ? "" : "es",
                  bough_node_name(w->report->net, plane->first, name, sizeof name), plane->endpoints,
                  bough_s(plane->endpoints), plane->hosts, bough_s(plane->hosts));
}

static void put_rails(const check_view *w, const bough_planes *p) {
    document_begin(w->doc, DOCUMENT_FACT, "rails");
    document_put(w->doc, "%" PRIu64 " of %" PRIu64 " hosts have an endpoint in every plane", p->complete,
                 p->hosts);
    for (size_t i = 0; i < p->lackings && i < LACKING; i++) {
        const bough_lacking_host *h = &p->lacking[i];
        const char *separator = " (not in plane ";
        document_put(w->doc, "%s%s", i ? ", " : "; without one: ", h->name);
        for (size_t k = 0; k < p->count; k++)
            if (!h->had[k]) {
                document_put(w->doc, "%s%zu", separator, k + 1);
                separator = ", ";
            }
        document_put(w->doc, ")");
    }
    if (p->lackings > LACKING) document_put(w->doc, ", and %zu more", p->lackings - LACKING);
    document_end(w->doc);
    if (p->lackings) document_style(w->doc, TEXT_WARNING);
}

void check_planes_describe(const check_view *w, const bough_planes *p) {
    if (p->count < 2) return;
    if (p->joining)
        document_fact(w->doc, "planes",
                      "%zu, joined only by %" PRIu64 " cable%s between switches of one level", p->count,
                      p->joining, bough_s(p->joining));
    else
        document_fact(w->doc, "planes", "%zu, not connected to each other; all results are within a plane",
                      p->count);
    for (size_t i = 0; i < p->count && i < SHOWN; i++) put_plane(w, p, i);
    if (p->count > SHOWN) document_fact(w->doc, "", "and %zu more", p->count - SHOWN);
    put_rails(w, p);
}

static void put_lacking(json_writer *w, const bough_planes *p, const bough_lacking_host *h) {
    json_begin_object(w, NULL, true);
    json_put_text(w, "host", h->name);
    json_begin_array(w, "lacks", true);
    for (size_t k = 0; k < p->count; k++)
        if (!h->had[k]) json_put_whole(w, NULL, (int64_t)k + 1);
    json_end_array(w);
    json_end_object(w);
}

void check_put_planes(json_writer *w, const bough_net *net, const bough_planes *p) {
    char name[NAME];
    if (p->count < 2) return;
    json_begin_object(w, "planes", false);
    json_begin_array(w, "items", false);
    for (size_t i = 0; i < p->count; i++) {
        json_begin_object(w, NULL, true);
        json_put_text(w, "first_switch", bough_node_name(net, p->plane[i].first, name, sizeof name));
        json_put_whole(w, "switches", (int64_t)p->plane[i].switches);
        json_put_whole(w, "endpoints", (int64_t)p->plane[i].endpoints);
        json_put_whole(w, "hosts", (int64_t)p->plane[i].hosts);
        json_end_object(w);
    }
    json_end_array(w);
    json_put_whole(w, "joining_cables", (int64_t)p->joining);
    json_put_whole(w, "pairs_between", (int64_t)p->pairs);
    json_put_whole(w, "hosts", (int64_t)p->hosts);
    json_put_whole(w, "hosts_complete", (int64_t)p->complete);
    json_begin_array(w, "missing_rails", false);
    for (size_t i = 0; i < p->lackings; i++) put_lacking(w, p, &p->lacking[i]);
    json_end_array(w);
    json_end_object(w);
}
