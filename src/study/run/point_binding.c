#include "study/run/point_binding.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "network/faults/faults.h"
#include "study/run/answer_stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *point_label(const bough_study *study, const bough_study_point *point, char *buffer, size_t size) {
    size_t used = 0;
    *buffer = 0;
    for (size_t i = 0; i < study->axes && used < size; i++) {
        int n =
            snprintf(buffer + used, size - used, "%s%s=%s", i ? ", " : "", study->axis[i], point->value[i]);
        used += n > 0 ? (size_t)n : 0;
    }
    return buffer;
}

bough_status point_fail(const bough_study *study, size_t point, unsigned line, bough_status status,
                        bough_error *error) {
    if (!error) return status;
    char place[256] = "", label[256], inner[sizeof error->place];
    snprintf(inner, sizeof inner, "%s", error->place);
    if (study->source && line)
        snprintf(place, sizeof place, "%.240s:%u", study->source, line);
    else if (study->source)
        snprintf(place, sizeof place, "%.250s", study->source);
    point_label(study, &study->point[point], label, sizeof label);
    char reason[sizeof error->reason];
    snprintf(reason, sizeof reason, "%s", error->reason);
    return bough_fail(error, status, place, "%s%s%s%s%s%s", *label ? "at " : "", label, *label ? ": " : "",
                      inner, *inner ? ": " : "", reason);
}

static void drop_point(bough_binding *b) {
    for (size_t i = 0; i < b->runs; i++) bough_run_destroy(b->run[i]);
    for (size_t i = 0; i < b->routings; i++) bough_routing_destroy(b->routing[i]);
    bough_traffic_destroy(b->traffic);
    bough_net_destroy(b->adding);
    bough_net_destroy(b->gpus);
    bough_net_destroy(b->ported);
    b->ported = b->gpus = b->adding = NULL;
    bough_physical_destroy(b->physical);
    b->physical = NULL;
    FREE_ALL(b->run, b->routing);
    b->run = NULL;
    b->routing = NULL;
    b->traffic = NULL;
    b->runs = b->routings = 0;
    b->point = SIZE_MAX;
}

static void drop_faults(bough_binding *b) {
    bough_net_destroy(b->faulty);
    free(b->asked_faults);
    b->faulty = NULL;
    b->asked_faults = NULL;
}

static void drop_net(bough_binding *b) {
    drop_faults(b);
    bough_net_destroy(b->whole);
    free(b->asked);
    b->whole = NULL;
    b->asked = NULL;
}

void binding_destroy(bough_binding *b) {
    if (!b) return;
    drop_point(b);
    drop_net(b);
    saturation_book_fini(&b->saturations);
    free(b);
}

/* The study is bound again and again, but a spec changes once. */
static bough_status replace(bough_study *study, char **spec, const char *canonical, bough_error *error) {
    if (*spec && strcmp(*spec, canonical) == 0) return BOUGH_OK;
    return arena_copy(&study->memory, spec, canonical, error);
}

static bough_status bind_net(bough_study *study, bough_study_point *p, bough_error *error) {
    bough_binding *b = study->binding;
    bough_status status = BOUGH_OK;
    if (!b->whole ||
        (strcmp(b->asked, p->network.spec) != 0 && strcmp(b->whole->spec, p->network.spec) != 0)) {
        drop_net(b);
        b->asked = bough_strdup(p->network.spec);
        if (!b->asked) return bough_fail_memory(error, strlen(p->network.spec));
        status = bough_net_open_threads(p->network.spec, study->registry, study->threads, &b->whole, error);
        if (!status) b->whole->threads = study->threads;
    }
    if (status) return status;
    b->net = b->whole;
    p->endpoints = b->net->endpoints;
    p->switches = b->net->switches;
    p->links = b->net->links;
    p->bytes = b->net->bytes;
    p->network.hash = b->net->input_hash;
    return replace(study, &p->network.spec, b->net->spec, error);
}

static bough_status bind_faults(bough_study *study, bough_study_point *p, bough_error *error) {
    bough_binding *b = study->binding;
    bough_status status = BOUGH_OK;
    if (!p->faults.spec) return BOUGH_OK;
    if (!b->faulty || (strcmp(b->asked_faults, p->faults.spec) != 0 &&
                       strcmp(b->faulty->faults->spec, p->faults.spec) != 0)) {
        drop_faults(b);
        b->asked_faults = bough_strdup(p->faults.spec);
        if (!b->asked_faults) return bough_fail_memory(error, strlen(p->faults.spec));
        status = bough_net_with_faults(b->whole, p->faults.spec, &b->faulty, error);
    }
    if (status) return status;
    b->net = b->faulty;
    p->bytes = bough_add(p->bytes, b->net->faults->bytes);
    return replace(study, &p->faults.spec, b->net->faults->spec, error);
}

/* Endpoints that forward messages have a port each way. */
static bough_status bind_ports(bough_binding *b, bough_study_point *p, bough_error *error) {
    bough_status status = bough_ports_create(b->net, &b->ported, error);
    if (status) return status;
    b->net = b->ported;
    p->switches = b->net->switches;
    p->links = b->net->links;
    return BOUGH_OK;
}

/* The endpoints become GPUs of compute nodes. */
static bough_status bind_nodes(bough_binding *b, bough_study_point *p, bough_error *error) {
    bough_status status = bough_compute_nodes_create(b->net, b->physical->node, &b->gpus, error);
    if (status) return status;
    b->net = b->gpus;
    p->endpoints = b->net->endpoints;
    p->links = b->net->links;
    return BOUGH_OK;
}

/* Switches add: each has an aggregation node, which is no host. */
static bough_status bind_aggregation(bough_binding *b, bough_study_point *p, bough_error *error) {
    bough_status status = bough_aggregation_create(b->net, b->physical->sharp_delay, &b->adding, error);
    if (status) return status;
    b->net = b->adding;
    p->links = b->net->links;
    return BOUGH_OK;
}

/* The network of the point takes the setting, before routings and traffic are made. */
static bough_status bind_physical(bough_study *study, bough_study_point *p, bough_error *error) {
    bough_binding *b = study->binding;
    bough_status status = bough_physical_create_for(b->whole, p->physical.spec, &b->physical, error);
    if (b->physical) TRY(replace(study, &p->physical.spec, b->physical->spec, error));
    bough_net_set_physical(b->whole, b->physical);
    if (b->faulty) bough_net_set_physical(b->faulty, b->physical);
    if (!status && b->net->one_port) status = bind_ports(b, p, error);
    if (!status && b->physical && b->physical->node) status = bind_nodes(b, p, error);
    if (!status && b->physical && b->physical->sharp) status = bind_aggregation(b, p, error);
    return status;
}

/* Duplicates are dropped. Frees the note. */
static bough_status add_note(bough_study *study, bough_text *note, bough_error *error) {
    const size_t k = study->notes;
    const bool said = k && !note->failed && strcmp(study->note[k - 1], note->data) == 0;
    bough_status status =
        said ? BOUGH_OK : arena_grow(&study->memory, &study->note, k + 1, sizeof *study->note, error);
    if (!said) TRY(bough_text_keep(note, &study->memory, &study->note[k], error));
    bough_text_fini(note);
    if (!said && !status) study->notes++;
    return status;
}

/* On the first binding, replaces relload= by a load in the spec. */
static bough_status bind_load(bough_study *study, bough_study_point *p, bough_error *error) {
    bough_binding *b = study->binding;
    bough_point point = {b->net, b->routing[0], NULL};
    relload_result load;
    b->saturations.seed = study->seed;
    bough_status status = relload_resolve(p->traffic.spec, &point, &b->saturations, &load, error);
    if (status || !load.spec) return status;
    status = replace(study, &p->traffic.spec, load.spec, error);
    free(load.spec);
    TRY(add_note(study, &load.note, error));
    bough_text_fini(&load.note);
    return status;
}

/* Counts the endpoints on which a schedule has ranks, and notes in a study of several points if these are not
 * all. */
static bough_status count_used(bough_study *study, bough_study_point *p, bough_error *error) {
    const bough_binding *b = study->binding;
    const bough_workload *w = b->traffic->workload;
    uint64_t *bit, used = 0, hosts = bough_net_hosts(b->net);
    if (!w || p->answers) return BOUGH_OK; /* not the first binding */
    bough_status status = bough_alloc(&bit, hosts / 64 + 1, sizeof *bit, error);
    for (uint32_t r = 0; !status && r < bough_schedule_hosts(w->schedule); r++) {
        uint64_t e = w->endpoint[r], mask = UINT64_C(1) << (e & 63);
        used += !(bit[e >> 6] & mask);
        bit[e >> 6] |= mask;
    }
    free(bit);
    if (status || used == hosts) return status;
    p->used = used;
    if (!study->axes) return BOUGH_OK; /* the head of the table says it */
    char label[256];
    bough_text text = {0};
    bough_text_printf(&text, "at %s: %" PRIu64 " of %" PRIu64 " endpoints used",
                      point_label(study, p, label, sizeof label), used, hosts);
    return add_note(study, &text, error);
}

static bough_status bind_traffic(bough_study *study, bough_study_point *p, bough_error *error) {
    bough_binding *b = study->binding;
    if (!p->traffic.spec) return BOUGH_OK;
    bough_status status = bind_load(study, p, error);
    TRY(bough_traffic_create(b->net, p->traffic.spec, &b->traffic, error));
    if (status) return status;
    p->traffic.hash = b->traffic->input_hash;
    p->bytes = bough_add(p->bytes, b->traffic->bytes);
    status = count_used(study, p, error);
    return status ? status : replace(study, &p->traffic.spec, b->traffic->spec, error);
}

static bough_status bind_routing(bough_study *study, bough_asked *asked, size_t i, bough_error *error) {
    const bough_binding *b = study->binding;
    bough_status status = bough_routing_create(b->net, asked->spec, &b->routing[i], error);
    if (status) return status;
    asked->hash = b->routing[i]->input_hash;
    return replace(study, &asked->spec, b->routing[i]->spec, error);
}

/* Where a run belongs: method `asked` under a routing. first: answers are made. */
typedef struct run_place {
    size_t routing, asked;
    bool first;
} run_place;

/* On the first binding, adds an answer for each method under each routing; a method that ignores the routing
 * has one answer. */
static bough_status add_answer(arena *memory, bough_study_point *p, const bough_run *run, run_place at,
                               bough_error *error) {
    bough_answer *a = &p->answer[p->answers];
    *a = (bough_answer){.asked = at.asked,
                        .routing = at.routing,
                        .routed = run->method->needs_routing,
                        .exact = bough_run_exact(run),
                        .given = run->method->given,
                        .headline = run->headline,
                        .parallel = run->parallel,
                        .bytes = run->bytes,
                        .bytes_each = run->bytes_each,
                        .bytes_team = run->bytes_team,
                        .outcome = BOUGH_RUN_PARTIAL};
    p->answers++;
    bough_status status = arena_copy(memory, &a->method, run->spec, error);
    TRY(arena_alloc(memory, &a->assumption, run->assumptions, sizeof *a->assumption, error));
    if (status) return status;
    a->assumptions = run->assumptions;
    memcpy(a->assumption, run->assumption, run->assumptions * sizeof *a->assumption);
    return answer_add_premises(memory, a, run->premise, run->premises, error);
}

/* An answer for all routings: its method was bound to another routing, whose premises are added. */
static bough_status add_unrouted(arena *memory, bough_study_point *p, const bough_run *run, size_t asked,
                                 bough_error *error) {
    for (size_t i = 0; i < p->answers; i++)
        if (p->answer[i].asked == asked)
            return answer_add_premises(memory, &p->answer[i], run->premise, run->premises, error);
    return BOUGH_OK;
}

static bough_status take_run(bough_study *study, bough_study_point *p, bough_run *run, run_place at,
                             bough_error *error) {
    bough_binding *b = study->binding;
    if (at.routing > 0 && !run->method->needs_routing) {
        bough_status status = at.first ? add_unrouted(&study->memory, p, run, at.asked, error) : BOUGH_OK;
        bough_run_destroy(run);
        return status;
    }
    b->run[b->runs++] = run;
    p->method[at.asked].hash = run->input_hash;
    return at.first ? add_answer(&study->memory, p, run, at, error) : BOUGH_OK;
}

/* Notes the first point at which a method has no answer; why: the error of its binding. */
static bough_status note_skipped(bough_study *study, const bough_study_point *p, const char *why,
                                 bough_error *error) {
    char label[256];
    bough_text text = {0};
    size_t said = strcspn(why, ";"); /* then comes the network */
    for (size_t i = 0; i < study->notes; i++)
        if (strncmp(study->note[i], why, said) == 0) return BOUGH_OK;
    point_label(study, p, label, sizeof label);
    bough_text_printf(&text, "%.*s: points without it are left out, the first: %s%s%s", (int)said, why,
                      p->network.spec, *label ? ", " : "", label);
    return add_note(study, &text, error);
}

/* Binds one method, unless the point does not support it and the study says to leave it out then. */
static bough_status bind_run(bough_study *study, size_t at, run_place place, bough_error *error) {
    bough_binding *b = study->binding;
    bough_study_point *p = &study->point[at];
    bough_point point = {b->net, b->routing[place.routing], b->traffic};
    bough_run *run;
    bough_error why = {0};
    bough_status status = bough_run_create(p->method[place.asked].spec, &point, &run, &why);
    if (status == BOUGH_UNSUPPORTED && study->skip_unsupported)
        return place.first ? note_skipped(study, p, why.reason, error) : BOUGH_OK;
    if (!status) return take_run(study, p, run, place, error);
    if (error) *error = why;
    return point_fail(study, at, p->method[place.asked].line, status, error);
}

static bough_status bind_runs(bough_study *study, size_t at, bough_error *error) {
    bough_binding *b = study->binding;
    bough_study_point *p = &study->point[at];
    bool first = !p->answer;
    bough_status status = bough_alloc(&b->run, bough_mul(p->routings, p->methods), sizeof *b->run, error);
    if (!status && first)
        status = arena_alloc(&study->memory, &p->answer, p->routings * p->methods, sizeof *p->answer, error);
    if (status) return status;
    for (size_t r = 0; r < p->routings; r++)
        for (size_t m = 0; m < p->methods && !status; m++)
            status = bind_run(study, at, (run_place){r, m, first}, error);
    if (!status && b->runs == 0) {
        status = bough_fail(error, BOUGH_UNSUPPORTED, NULL, "no method of the study supports this point");
        status = point_fail(study, at, 0, status, error);
    }
    return status;
}

/* What can be refused before there is a network. */
static bough_status check_specs(const bough_study *study, size_t at, bough_error *error) {
    const bough_study_point *p = &study->point[at];
    bough_physical *physical = NULL;
    bough_status status =
        p->physical.spec ? bough_physical_create(p->physical.spec, &physical, error) : BOUGH_OK;
    bough_physical_destroy(physical);
    if (status) return point_fail(study, at, p->physical.line, status, error);
    for (size_t i = 0; i < p->methods; i++) {
        status = bough_method_check(study->registry, p->method[i].spec, error);
        if (status) return point_fail(study, at, p->method[i].line, status, error);
    }
    return BOUGH_OK;
}

bough_status bind_point(bough_study *study, size_t at, bough_error *error) {
    bough_status status = BOUGH_OK;
    bough_study_point *p = &study->point[at];
    if (!study->binding) {
        status = bough_alloc(&study->binding, 1, sizeof *study->binding, error);
        if (status) return status;
        study->binding->point = SIZE_MAX;
    }
    bough_binding *b = study->binding;
    if (b->point == at) return BOUGH_OK;
    drop_point(b);
    status = p->answers ? BOUGH_OK : check_specs(study, at, error);
    if (status) return status;
    status = bind_net(study, p, error);
    if (status) return point_fail(study, at, p->network.line, status, error);
    status = bind_faults(study, p, error);
    if (status) return point_fail(study, at, p->faults.line, status, error);
    status = bind_physical(study, p, error);
    if (status) return point_fail(study, at, p->physical.line, status, error);
    if (p->routings == 0) {
        status = arena_alloc(&study->memory, &p->routing, 1, sizeof *p->routing, error);
        if (status) return status;
        p->routings = 1; /* with a NULL spec: the default */
    }
    status = bough_alloc(&b->routing, p->routings, sizeof *b->routing, error);
    if (status) return status;
    b->routings = p->routings;
    for (size_t i = 0; i < p->routings; i++) {
        status = bind_routing(study, &p->routing[i], i, error);
        if (status) return point_fail(study, at, p->routing[i].line, status, error);
        p->bytes = bough_add(p->bytes, b->routing[i]->bytes);
    }
    status = bind_traffic(study, p, error);
    if (status) return point_fail(study, at, p->traffic.line, status, error);
    status = bind_runs(study, at, error);
    if (!status) b->point = at;
    return status;
}
