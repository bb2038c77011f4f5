#include "fabric/check/check_rates.h"
#include "fabric/check/check_words.h"
#include "network/physical/physical.h"

#include <inttypes.h>
#include <math.h>

static uint64_t cables_of(const bough_rate_count *c, bool host) {
    return host ? c->host_cables : c->switch_cables;
}

/* "88 at 32 Gb/s (4xQDR), 1 at 16 Gb/s (4xDDR)" */
static bool put_class(bough_text *out, const bough_link_rates *rates, bool host, const char *before) {
    const char *separator = before;
    char rate[CHECK_NUMBER];
    for (size_t i = 0; i < rates->counts; i++) {
        const bough_rate_count *c = &rates->count[i];
        if (!cables_of(c, host)) continue;
        bough_text_printf(out, "%s%" PRIu64 " at %s Gb/s", separator, cables_of(c, host),
                          check_number((double)c->rate / 1e9, rate));
        if (*c->name) bough_text_printf(out, " (%s)", c->name);
        separator = ", ";
    }
    return separator != before;
}

void check_rates_words(bough_text *out, const bough_net *net, const bough_link_rates *rates) {
    const bough_physical *p = bough_net_physical(net);
    char rate[CHECK_NUMBER];
    check_number((double)p->rate / 1e9, rate);
    if (!rates->counts) {
        bough_text_printf(out, "unknown: all links are taken as %s Gb/s", rate);
    } else {
        bool hosts = put_class(out, rates, true, "cables of hosts: ");
        put_class(out, rates, false, hosts ? "; between switches: " : "cables between switches: ");
        if (rates->unknown)
            bough_text_printf(out, "; %" PRIu64 " unknown, taken as %s Gb/s", rates->unknown, rate);
    }
    if (rates->host_rate)
        bough_text_printf(out, "; those of hosts as %s Gb/s", check_number((double)p->host_rate / 1e9, rate));
    if (!rates->known) bough_text_printf(out, ", by the setting %s", p->spec);
}

static void put_classes(json_writer *w, const bough_link_rates *rates) {
    json_begin_array(w, "classes", false);
    for (size_t i = 0; i < rates->kinds; i++) {
        const bough_rate_class *k = &rates->kind[i];
        json_begin_object(w, NULL, true);
        json_put_whole(w, "level", k->level);
        json_put_whole(w, "cables", (int64_t)k->cables);
        json_put_whole(w, "nominal", (int64_t)k->nominal);
        json_put_whole(w, "slow", (int64_t)k->slow);
        json_put_flag(w, "tie", k->tie);
        json_put_flag(w, "mixed", bough_rate_class_mixed(k));
        json_end_object(w);
    }
    json_end_array(w);
}

void check_put_rates(json_writer *w, const bough_net *net, const bough_link_rates *rates) {
    json_begin_object(w, "rates", false);
    json_put_flag(w, "known", rates->known);
    json_put_whole(w, "nominal", (int64_t)rates->nominal);
    json_put_whole(w, "low", (int64_t)rates->low);
    json_put_whole(w, "high", (int64_t)rates->high);
    json_put_text(w, "setting", bough_net_physical(net)->spec);
    json_put_whole(w, "unknown_cables", (int64_t)rates->unknown);
    json_begin_array(w, "counts", false);
    for (size_t i = 0; i < rates->counts; i++) {
        const bough_rate_count *c = &rates->count[i];
        json_begin_object(w, NULL, true);
        json_put_whole(w, "rate", (int64_t)c->rate);
        json_put_text(w, "name", *c->name ? c->name : NULL);
        json_put_whole(w, "host_cables", (int64_t)c->host_cables);
        json_put_whole(w, "switch_cables", (int64_t)c->switch_cables);
        json_end_object(w);
    }
    json_end_array(w);
    put_classes(w, rates);
    json_begin_array(w, "slow", false);
    for (size_t i = 0; i < rates->slows; i++) {
        const bough_slow_cable *s = &rates->slow[i];
        char name[400];
        json_begin_object(w, NULL, true);
        json_put_text(w, "cable", check_cable_name(net, s->link, name, sizeof name));
        json_put_whole(w, "rate", (int64_t)s->rate);
        json_put_whole(w, "nominal", (int64_t)s->nominal);
        json_put_flag(w, "host", s->host);
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
}
