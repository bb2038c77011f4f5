#include "fabric/expect/deviations.h"

#include "base/status/try.h"
#include "network/spec_or_file.h"

#include <stdarg.h>
#include <string.h>

static const char *const names[] = {
#define X(id, name, finding) name,
    BOUGH_DEVIATION_MAP(X)
#undef X
};
static const char *const finding_kinds[] = {
#define X(id, name, finding) finding,
    BOUGH_DEVIATION_MAP(X)
#undef X
};

const char *bough_deviation_name(bough_deviation_kind kind) {
    return names[kind];
}

const char *bough_expect_basis_name(bough_expect_basis basis) {
    static const char *const basis_names[] = {"nothing", "file", "spec", "regular"};
    return basis_names[basis];
}

bough_status deviation_add(bough_expected *e, const deviation_head *head, bough_error *error,
                           const char *format, ...) {
    bough_deviation d = {
        .kind = head->kind, .severity = head->severity, .cables = head->cables ? head->cables : 1};
    bough_text text = {0};
    va_list arguments;
    va_start(arguments, format);
    bough_text_vprintf(&text, format, arguments);
    va_end(arguments);
    bough_status status =
        arena_grow(&e->memory, &e->deviation, e->deviations + 1, sizeof *e->deviation, error);
    TRY(bough_text_keep(&text, &e->memory, &d.text, error));
    bough_text_fini(&text);
    for (int i = 0; i < 2; i++) {
        TRY(arena_copy(&e->memory, &d.now[i], head->now[i], error));
        TRY(arena_copy(&e->memory, &d.planned[i], head->planned[i], error));
    }
    TRY(arena_copy(&e->memory, &d.node, head->node, error));
    if (status) return status;
    e->deviation[e->deviations++] = d;
    e->count[d.kind] += d.cables;
    return BOUGH_OK;
}

/* By counting: the order within a kind stays. */
static bough_status sort_by_kind(bough_expected *e, bough_error *error) {
    bough_deviation *sorted = NULL;
    size_t to = 0;
    bough_status status = arena_alloc(&e->memory, &sorted, e->deviations, sizeof *sorted, error);
    if (status) return status;
    for (int kind = 0; kind < BOUGH_DEVIATION_KINDS; kind++)
        for (size_t i = 0; i < e->deviations; i++)
            if ((int)e->deviation[i].kind == kind) sorted[to++] = e->deviation[i];
    arena_release(&e->memory, e->deviation);
    e->deviation = sorted;
    return BOUGH_OK;
}

bough_status deviations_finish(bough_expected *e, bough_error *error) {
    bough_status status = sort_by_kind(e, error);
    for (size_t i = 0; i < e->deviations && !status; i++) {
        const bough_deviation *d = &e->deviation[i];
        const char *where = d->node ? d->node : d->now[0] ? d->now[0] : d->planned[0];
        status = bough_findings_add(&e->findings,
                                    &(bough_finding_head){d->severity, finding_kinds[d->kind], where, 0},
                                    error, "%s", d->text);
    }
    return status;
}

static bough_status compare_all(const bough_net *net, const char *spec, bough_expected *e,
                                bough_error *error) {
    bough_net *planned = NULL;
    bough_status status = BOUGH_OK;
    if (e->basis == BOUGH_EXPECT_FILE) return expect_file(net->fabric, spec, e, error);
    if (e->basis == BOUGH_EXPECT_SPEC) status = bough_net_open(spec, net->registry, &planned, error);
    TRY(expect_tree(net, planned, e, error));
    bough_net_destroy(planned);
    return status;
}

bough_status bough_expect(const bough_net *net, const char *plan, bough_expected *e, bough_error *error) {
    bough_text text = {0};
    char *spec = NULL;
    *e = (bough_expected){.basis = BOUGH_EXPECT_REGULAR};
    if (net->faults)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "--expect compares what was recorded; of --faults it takes each: and curves only");
    put_network_spec(&text, net->registry, plan, false);
    bough_status status = bough_text_keep(&text, &e->memory, &spec, error);
    if (!status && strcmp(plan, "regular") != 0)
        e->basis = strncmp(spec, "ibnet:", 6) == 0 ? BOUGH_EXPECT_FILE : BOUGH_EXPECT_SPEC;
    if (e->basis == BOUGH_EXPECT_FILE && !net->fabric)
        status = bough_fail(error, BOUGH_INVALID, NULL,
                            "--expect with a file needs a fabric file, and %s is none", net->spec);
    TRY(arena_copy(&e->memory, &e->plan, plan, error));
    TRY(compare_all(net, spec, e, error));
    TRY(deviations_finish(e, error));
    return status;
}

void bough_expected_fini(bough_expected *e) {
    bough_findings_fini(&e->findings);
    arena_fini(&e->memory);
    *e = (bough_expected){0};
}
