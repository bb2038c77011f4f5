/* bough_check: the phases in their order. Specs are checked and files read before the long work begins. */
#include "fabric/check/check.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/check/adaptive/check_adaptive_internal.h"
#include "fabric/check/check_failures.h"
#include "fabric/check/check_jobs.h"
#include "fabric/check/check_old_fabric.h"
#include "fabric/check/check_progress.h"
#include "fabric/check/check_rating.h"
#include "fabric/check/check_verdict.h"
#include "fabric/check/worst/check_worst_bound.h"
#include "fabric/counters/counters_internal.h"
#include "fabric/placement/placement.h"
#include "fabric/placement/slurm_compare.h"
#include "network/faults/faults.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- before the long work ---- */

static bough_status open_network(const bough_check_question *question, const check_faults *faults,
                                 bough_check_report *r, bough_error *error) {
    bough_status status = bough_physical_create(question->physical, &r->physical, error);
    if (!status && r->physical->node)
        status = bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "check looks at the network between NICs; leave node= out of the physical setting (sim "
            "and run have it)");
    if (!status && r->physical->sharp)
        status = bough_fail(
            error, BOUGH_UNSUPPORTED, NULL,
            "check looks at the routes between hosts; leave sharp= out of the physical setting (sim "
            "and run have it)");
    TRY(bough_net_open_threads(question->network, question->registry, check_threads(question), &r->whole,
                               error));
    if (!status && faults->missing)
        status = bough_net_with_faults(r->whole, faults->missing, &r->faulty, error);
    r->net = r->faulty ? r->faulty : r->whole;
    if (r->whole) r->whole->threads = check_threads(question);
    if (r->faulty) r->faulty->threads = check_threads(question);
    if (r->whole) bough_net_set_physical(r->whole, r->physical);
    if (r->faulty) bough_net_set_physical(r->faulty, r->physical);
    if (!status && r->net->one_port) {
        status = bough_ports_create(r->net, &r->ported, error);
        if (!status) r->net = r->ported;
    }
    return status;
}

static bough_status count_levels(bough_check_report *r, bough_error *error) {
    const bough_net *net = r->net;
    bough_status status = arena_alloc(&r->memory, &r->level_switches, (uint64_t)net->levels + 1,
                                      sizeof *r->level_switches, error);
    for (uint64_t v = net->endpoints; v < net->nodes && !status; v++) {
        unsigned level = net->ops->node_level(net, v);
        if (!net->ops->node_group_count(net, v))
            r->lone_switches++;
        else if (level <= net->levels)
            r->level_switches[level]++;
    }
    return status;
}

/* In the order of the question; the network's default where it names none, with links whose state nobody
 * knows. All threads construct one after the other: tables of large fabrics take seconds to read or to
 * compute. */
static bough_status open_routings(const bough_check_question *question, bough_check_report *r,
                                  bough_error *error) {
    const size_t count = question->routings ? question->routings : 1;
    bough_status status = arena_alloc(&r->memory, &r->part, count, sizeof *r->part, error);
    if (status) return status;
    r->parts = count;
    r->assumed = !question->routings;
    status = bough_check_size(r->net, error);
    for (size_t i = 0; i < count && !status; i++)
        status = bough_routing_create(
            r->net, question->routings ? question->routing[i] : bough_routing_default(r->net, "random"),
            &r->part[i].routing, error);
    return status;
}

/* Whether every routing can be asked what the question is about. */
static bough_status check_routings(const bough_check_question *question, const check_faults *faults,
                                   const bough_check_report *r, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < r->parts && !status; i++) {
        const bough_routing *routing = r->part[i].routing;
        if (question->worst == BOUGH_CHECK_WORST_ALWAYS)
            status = bough_adversary_check(routing, "the worst permutation", error);
        if (!status && faults->eaches + faults->curves) status = bough_failures_check(routing, error);
    }
    return status;
}

/* ---- the long work ---- */

static bough_status find_worst(check_progress *progress, bough_routing_report *part, bough_error *error) {
    const bough_check_question *question = progress->question;
    bool large = part->routing->net->endpoints > BOUGH_CHECK_WORST_CHEAP_ENDPOINTS;
    part->worst_least = NAN;
    if (!check_worst_wanted(question, part->routing))
        return large && question->worst == BOUGH_CHECK_WORST_CHEAP
                   ? check_worst_bound(part, check_threads(question), error)
                   : BOUGH_OK;
    bough_adversary_options o = {.threads = check_threads(question),
                                 .stop = question->stop,
                                 .progress = check_progress_show,
                                 .progress_context = progress};
    check_progress_begin(progress, CHECK_WORST);
    bough_status status = bough_adversary_find(part->routing, &o, &part->worst, error);
    part->worst_known = !status;
    return status;
}

/* What is so of the cables whatever the routing. */
static bough_status check_cables(bough_check_report *r, bough_error *error) {
    bough_status status = bough_link_rates_find(r->net, &r->memory, &r->rates, error);
    TRY(bough_single_points_find(r->net, &r->memory, &r->single, error));
    TRY(check_wiring_score(r, error));
    TRY(bough_single_points_warn(r->net, &r->single, &r->wiring, error));
    TRY(bough_planes_find(r->net, &r->memory, &r->planes, error));
    TRY(bough_planes_warn(r->net, &r->planes, &r->wiring, error));
    return status;
}

static bough_status check_parts(check_progress *progress, const check_faults *faults, bough_check_report *r,
                                bough_error *error) {
    const bough_check_question *question = progress->question;
    const bough_check_options o = {.memory = &r->memory,
                                   .seed = question->seed,
                                   .permutations = question->permutations,
                                   .threads = check_threads(question),
                                   .stop = question->stop,
                                   .progress = check_progress_show,
                                   .progress_context = progress};
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < r->parts && !status; i++) {
        bough_routing_report *part = &r->part[i];
        check_progress_begin(progress, CHECK_FOLLOW);
        status = bough_check_routing(part->routing, &o, &part->result, &part->findings, error);
        if (i == 0) TRY(check_cables(r, error)); /* after the first, which refuses what does not fit */
        TRY(find_worst(progress, part, error));
        check_adaptive_find(part->routing, &part->adaptive);
        TRY(check_failures_find(progress, faults, r, part, error));
        if (!status) check_verdict_find(r->net, part);
    }
    TRY(check_tables_score(r, error));
    for (size_t i = 0; i < r->parts && !status; i++) check_rating_find(r, &r->part[i]);
    TRY(check_ratings_compare(r, error));
    check_progress_begin(progress, CHECK_OLD);
    TRY(check_old_fabric_compare(&o, r, error));
    return status;
}

static bough_status replace_text(char **text, const char *by, bough_error *error) {
    char *copy = bough_strdup(by);
    if (!copy) return bough_fail_memory(error, strlen(by));
    free(*text);
    *text = copy;
    return BOUGH_OK;
}

/* At the end, as specs make routings until then. */
static bough_status set_labels(const bough_check_question *question, bough_check_report *r,
                               bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < question->routings && question->label && !status; i++) {
        bough_routing_report *part = &r->part[i];
        if (!question->label[i]) continue;
        for (size_t k = 0; k < part->findings.count && !status; k++)
            if (strcmp(part->findings.item[k].where, part->routing->spec) == 0)
                status = arena_copy(&part->findings.memory, &part->findings.item[k].where, question->label[i],
                                    error);
        TRY(check_jobs_rename(r, part->routing->spec, question->label[i], error));
        TRY(replace_text(&part->routing->spec, question->label[i], error));
    }
    return status;
}

static bough_status add_findings(const bough_findings *from, bough_findings *to, bough_error *error) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; from && i < from->count && !status; i++) {
        const bough_finding *f = &from->item[i];
        status = bough_findings_add(to, &(bough_finding_head){f->severity, f->kind, f->where, 0}, error, "%s",
                                    f->text);
    }
    return status;
}

static void raise_severity(const bough_findings *findings, bough_severity *worst) {
    for (size_t i = 0; i < findings->count; i++)
        if (findings->item[i].severity > *worst) *worst = findings->item[i].severity;
}

static bough_severity find_severity(const bough_check_report *r) {
    bough_severity worst = BOUGH_INFO;
    if (r->net->fabric) raise_severity(&r->net->fabric->findings, &worst);
    raise_severity(&r->wiring, &worst);
    raise_severity(&r->against.findings, &worst);
    raise_severity(&r->expected.findings, &worst);
    for (size_t i = 0; i < r->parts; i++) {
        raise_severity(&r->part[i].findings, &worst);
        raise_severity(&r->part[i].routing->findings, &worst);
    }
    return worst;
}

/* The long work; what it cannot do is refused before it begins, or by the first routing. */
static bough_status check_all(const bough_check_question *question, const check_faults *faults,
                              bough_check_report *r, bough_error *error) {
    check_progress progress = {0};
    bough_status status = check_routings(question, faults, r, error);
    TRY(check_progress_plan(question, faults, r, &progress, error));
    TRY(check_parts(&progress, faults, r, error));
    TRY(count_levels(r, error));
    TRY(bough_check_wiring(r->net, &r->wiring, error));
    if (question->place)
        TRY(placement_find(question, r, error));
    else
        TRY(check_jobs_run(&progress, faults->missing, r, error));
    TRY(counters_compare(question, r, error));
    return status;
}

static bough_status fill(const bough_check_question *question, check_faults *faults, bough_check_report *r,
                         bough_error *error) {
    r->seed = question->seed;
    r->worst = question->worst;
    bough_status status =
        check_faults_read(question->faults, question->faults_count, &r->memory, faults, error);
    TRY(check_jobs_read(question, error));
    TRY(placement_read(question, error));
    TRY(counters_check(question, error));
    TRY(open_network(question, faults, r, error));
    TRY(arena_copy(&r->memory, &r->slurm.file, question->slurm, error));
    if (question->slurm) TRY(slurm_compare(r->net, question->slurm, &r->slurm, &r->wiring, error));
    TRY(counters_read(question, r, error));
    if (question->expect) TRY(bough_expect(r->net, question->expect, &r->expected, error));
    TRY(open_routings(question, r, error));
    TRY(check_old_fabric_open(question, r, error));
    TRY(check_all(question, faults, r, error));
    TRY(add_findings(question->findings, &r->wiring, error));
    TRY(set_labels(question, r, error));
    if (!status) r->severity = find_severity(r);
    return status;
}

bough_status bough_check(const bough_check_question *question, bough_check_report **report,
                         bough_error *error) {
    check_faults faults = {0};
    *report = NULL;
    bough_check_report *r = NULL;
    bough_status status = bough_alloc(&r, 1, sizeof *r, error);
    if (status) return status;
    status = fill(question, &faults, r, error);
    if (status)
        bough_check_report_destroy(r);
    else
        *report = r;
    return status;
}

void bough_check_report_destroy(bough_check_report *r) {
    if (!r) return;
    for (size_t i = 0; i < r->parts; i++) {
        bough_routing_report *part = &r->part[i];
        bough_findings_fini(&part->findings);
        bough_adversary_fini(&part->worst);
        bough_routing_destroy(part->routing);
    }
    check_jobs_fini(r);
    check_old_fabric_fini(&r->against);
    bough_expected_fini(&r->expected);
    bough_findings_fini(&r->wiring);
    bough_net_destroy(r->ported);
    bough_net_destroy(r->faulty);
    bough_net_destroy(r->whole);
    bough_physical_destroy(r->physical);
    arena_fini(&r->memory);
    free(r);
}
