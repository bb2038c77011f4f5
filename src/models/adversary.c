/* The method `adversary`: the worst permutation for a routing. See loads/worst/adversary.h. */
#include "models/adversary_file.h"

#include "base/files/output.h"
#include "base/status/try.h"
#include "base/text/text.h"
#include "method/rows.h"
#include "models/model_list.h"
#include "traffic/traffic.h"

#include <inttypes.h>
#include <stdio.h>

enum { P_OUT };

static const bough_param params[] = {
    [P_OUT] = {"out", "write the permutation to this file, for messages:FILE; a forecast does not write it",
               BOUGH_TEXT, "", .output = true},
    BOUGH_PARAMS_END,
};

static bough_status open_adversary(bough_run *run, bough_error *error) {
    const bough_value *out = &run->args.value[P_OUT];
    bough_status status = bough_adversary_check(run->point.routing, "adversary", error);
    if (!status && out->set) status = bough_output_check(out->text, error);
    run->parallel = true;
    run->bytes = bough_adversary_bytes(run->point.routing, 1);
    run->bytes_each = bough_adversary_bytes(run->point.routing, 2) - run->bytes;
    return status;
}

/* ---- results ---- */

/* Number of dimensions if the network is a hypercube under its own routes; 0 otherwise. */
static unsigned bitfix_dimensions(const bough_point *p) {
    bool own = !p->routing->kind->route && !p->routing->kind->via;
    if (!own || !(p->net->capabilities & BOUGH_HAS_BITFIX)) return 0;
    return (unsigned)__builtin_ctzll(p->net->endpoints);
}

static bough_status add_rows(const bough_run *run, const bough_adversary_result *r, bough_rows *rows,
                             bough_error *error) {
    unsigned dimensions = bitfix_dimensions(&run->point);
    double bitfix = (double)bough_bitfix_load(dimensions);
    bool all = r->routed == r->pairs;
    const optional_row lines[] = {
        {!r->expected, BOUGH_METRIC_LOAD_COUNTED, (double)r->counted},
        {!r->expected && all, BOUGH_METRIC_LOAD_BOUND, (double)r->bound},
        {dimensions > 0, BOUGH_METRIC_LOAD_TRANSPOSE, bitfix},
        {dimensions > 0, BOUGH_METRIC_LOAD_BITREV, bitfix},
        {!all, BOUGH_METRIC_UNROUTED, (double)(r->pairs - r->routed)},
    };
    bough_status status =
        bough_rows_add(rows, BOUGH_METRIC_LINK_LOAD_MAX, BOUGH_NO_ROW_INDEX, r->load, error);
    if (r->link != BOUGH_NONE)
        TRY(bough_rows_add(rows, BOUGH_METRIC_WORST_LINK, (int64_t)r->link, r->load, error));
    TRY(rows_add_present(rows, lines, sizeof lines / sizeof *lines, error));
    return status;
}

static void write_note(const bough_net *net, const bough_adversary_result *r, bough_rows *rows) {
    char link[300], from[96], to[96], at[96];
    if (r->routed < r->pairs) {
        snprintf(rows->note, sizeof rows->note,
                 "%" PRIu64 " of %" PRIu64 " pairs have no route: %s to %s ends at %s", r->pairs - r->routed,
                 r->pairs, bough_node_name(net, r->failed_source, from, sizeof from),
                 bough_node_name(net, r->failed_destination, to, sizeof to),
                 bough_node_name(net, r->failed_at, at, sizeof at));
        rows->outcome = BOUGH_RUN_PARTIAL;
    } else if (r->link != BOUGH_NONE) {
        snprintf(rows->note, sizeof rows->note, "%.6g flow%s%s over %s%s", r->load, r->load == 1 ? "" : "s",
                 r->expected ? " expected" : "", bough_link_name(net, r->link, link, sizeof link),
                 r->any ? ", under every permutation without fixed points" : "");
    }
}

bough_status bough_adversary_write(const bough_routing *routing, const bough_adversary_result *r,
                                   const char *path, bough_error *error) {
    const bough_net *net = routing->net;
    bough_text text = {0};
    char link[300];
    bough_text_printf(&text, "the worst permutation of %s under %s", net->spec, routing->spec);
    if (r->link != BOUGH_NONE)
        bough_text_printf(&text, "\n%.6g flow%s%s over %s", r->load, r->load == 1 ? "" : "s",
                          r->expected ? " expected" : "", bough_link_name(net, r->link, link, sizeof link));
    bough_status status =
        text.failed ? bough_fail_memory(error, sizeof link)
                    : bough_permutation_write(path, text.data, r->destination, net->endpoints, error);
    bough_text_fini(&text);
    return status;
}

static bough_status trial_adversary(const bough_run *run, bough_key key, void **workspace, bough_rows *rows,
                                    bough_error *error) {
    const bough_adversary_options options = {.threads = run->threads, .stop = run->stop};
    const bough_value *out = &run->args.value[P_OUT];
    bough_adversary_result r;
    (void)key;
    (void)workspace;
    bough_status status = bough_adversary_find(run->point.routing, &options, &r, error);
    if (status) return status;
    status = add_rows(run, &r, rows, error);
    write_note(run->point.net, &r, rows);
    if (!status && out->set && !run->rehearsal)
        status = bough_adversary_write(run->point.routing, &r, out->text, error);
    bough_adversary_fini(&r);
    return status;
}

const bough_method bough_method_adversary = {
    .name = "adversary",
    .summary = "largest link load that any permutation can cause, exactly, and that permutation",
    .source = "Borodin, Hopcroft, 1985 (valiant1982, Theorem 1); Hopcroft, Karp, 1973",
    .params = params,
    .headline = BOUGH_METRIC_LINK_LOAD_MAX,
    .needs_net = BOUGH_HAS_ROUTES,
    .needs_routing = true,
    .takes_via = true,
    .averages_via = true,
    .exact = true,
    .ignores_traffic = true,
    .open = open_adversary,
    .trial = trial_adversary,
};
