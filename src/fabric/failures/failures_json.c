/* Failures as JSON, and the names of what fails. */
#include "fabric/check/check_json_parts.h"
#include "fabric/check/check_words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

const char *failure_answer(bool anew) {
    return anew ? "routing computed anew" : "tables repaired locally";
}

static void put_load(json_writer *w, const char *key, const bough_failure_load *m) {
    json_begin_object(w, key, true);
    json_put_whole(w, "pairs", (int64_t)m->pairs);
    json_put_whole(w, "alltoall_max", (int64_t)m->alltoall_max);
    json_put_real(w, "alltoall_mean", m->alltoall_mean);
    json_put_real(w, "slowdown", m->slowdown);
    json_put_flag(w, "hosts_limit", m->hosts_limit);
    json_put_whole(w, "shift_max", (int64_t)m->shift_max);
    json_put_real(w, "shift_mean", m->shift_mean);
    json_end_object(w);
}

static void put_item(json_writer *w, const bough_net *net, const bough_failure *r) {
    char name[400];
    json_begin_object(w, NULL, true);
    json_put_text(w, "name", failure_name(net, r, name, sizeof name));
    json_put_whole(w, "level",
                   r->link == BOUGH_NONE ? net->ops->node_level(net, r->node)
                                         : bough_link_level(net, r->link));
    json_put_whole(w, "lost", (int64_t)r->lost);
    json_put_whole(w, "cut", (int64_t)r->cut);
    json_put_whole(w, "cut_own", (int64_t)r->own);
    json_put_whole(w, "endpoints_gone", (int64_t)r->gone);
    json_put_whole(w, "alike", (int64_t)r->alike);
    put_load(w, "as_is", &r->as_is);
    put_load(w, "rerouted", &r->rerouted);
    json_end_object(w);
}

static void put_tables(json_writer *w, const bough_check_failures *f) {
    json_put_text(w, "tables", f->made ? "minimal" : "given");
}

static void put_answer(json_writer *w, bool anew) {
    json_put_text(w, "rerouted_by", anew ? "routing" : "repair");
}

static void put_list(json_writer *w, const bough_net *net, const bough_check_failures *f,
                     const bough_failure_list *list) {
    json_begin_object(w, NULL, false);
    json_put_text(w, "spec", list->spec);
    put_tables(w, f);
    put_answer(w, list->anew);
    json_put_whole(w, "count", (int64_t)list->count);
    json_put_whole(w, "idle", (int64_t)list->idle);
    json_put_whole(w, "harmless", (int64_t)list->harmless);
    put_load(w, "whole", &f->whole);
    json_begin_array(w, "items", false);
    for (size_t i = 0; i < list->count; i++) put_item(w, net, &list->item[i]);
    json_end_array(w);
    json_end_object(w);
}

static void put_stats(json_writer *w, const char *name, const bough_stats *s) {
    char key[64];
    json_put_real(w, name, s->count ? s->mean : NAN);
    snprintf(key, sizeof key, "%s_ci95", name);
    json_put_real(w, key, s->count > 1 ? bough_stats_ci95(s) : NAN);
}

static void put_step(json_writer *w, const bough_degradation_step *s) {
    json_begin_object(w, NULL, true);
    json_put_real(w, "share", s->share);
    put_stats(w, "connected_as_is", &s->as_is);
    put_stats(w, "connected", &s->rerouted);
    json_put_real(w, "connected_min", s->worst);
    put_stats(w, "alltoall_max", &s->max);
    put_stats(w, "alltoall_mean", &s->mean);
    put_stats(w, "slowdown", &s->slowdown);
    put_stats(w, "shift_mean", &s->shift);
    json_end_object(w);
}

static void put_curve(json_writer *w, const bough_check_failures *f, const bough_degradation *c) {
    json_begin_object(w, NULL, false);
    json_put_text(w, "spec", c->spec);
    put_tables(w, f);
    put_answer(w, c->anew);
    json_put_whole(w, "trials", (int64_t)c->trials);
    json_begin_array(w, "steps", false);
    for (size_t i = 0; i < c->count; i++) put_step(w, &c->step[i]);
    json_end_array(w);
    json_end_object(w);
}

static void put_without(json_writer *w, const bough_check_failures *f) {
    json_begin_object(w, "without", false);
    json_put_text(w, "spec", f->missing);
    put_answer(w, f->without.anew);
    json_put_whole(w, "lost", (int64_t)f->without.lost);
    json_put_whole(w, "cut", (int64_t)f->without.cut);
    json_put_whole(w, "endpoints_gone", (int64_t)f->without.gone);
    put_load(w, "whole", &f->whole);
    put_load(w, "as_is", &f->without.as_is);
    put_load(w, "rerouted", &f->without.rerouted);
    json_end_object(w);
}

void check_put_failures(json_writer *w, const bough_net *net, const bough_check_failures *f) {
    if (f->lists) json_begin_array(w, "failures", false);
    for (size_t i = 0; i < f->lists; i++) put_list(w, net, f, &f->list[i]);
    if (f->lists) json_end_array(w);
    if (f->missing) put_without(w, f);
    if (f->curves) json_begin_array(w, "degradation", false);
    for (size_t i = 0; i < f->curves; i++) put_curve(w, f, &f->curve[i]);
    if (f->curves) json_end_array(w);
}
