#include "cli/check/check_against.h"

#include "base/json/json_build.h"
#include "base/status/try.h"
#include "base/text/escape.h"
#include "base/text/text.h"
#include "cli/network_argument.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS_SHOWN = 6 };

/* ---- what is compared ---- */

static bool has_tables(const bough_routing *routing) {
    return routing->kind->needs & BOUGH_HAS_TABLES;
}

/* What can be so of OLD alone, and still leaves its cables to compare. */
static bool not_comparable(check_against *a, bough_status status, const bough_error *error) {
    if (status != BOUGH_INVALID && status != BOUGH_UNSUPPORTED && status != BOUGH_TOO_LARGE) return false;
    snprintf(a->why, sizeof a->why, "cannot be made for OLD: %s%s%s", error->place, *error->place ? ": " : "",
             error->reason);
    return true;
}

static bough_status open_tables(const char *tables, check_against *a, bough_error *error) {
    bough_text spec = {0};
    bough_text_put(&spec, "lft:file=");
    bough_text_put_quoted(&spec, tables);
    char *text = bough_text_take(&spec);
    if (!text) return bough_fail_memory(error, strlen(tables));
    bough_status status = bough_routing_create(a->old, text, &a->routing, error);
    free(text);
    return status;
}

/* Tables are OLD's own. What is computed is computed for both, else routings would be compared, not fabrics.
 */
static bough_status open_routing(const cli_args *args, const bough_routing *now, check_against *a,
                                 bough_error *error) {
    const char *tables = cli_value(args, "against-lft");
    if (tables) return open_tables(tables, a, error);
    if (has_tables(now)) return bough_routing_create(a->old, NULL, &a->routing, error);
    bough_status status = bough_routing_create(a->old, now->spec, &a->routing, error);
    return not_comparable(a, status, error) ? BOUGH_OK : status;
}

bough_status check_against_open(const cli_args *args, const bough_routing *routing, size_t routings,
                                check_against *a, bough_error *error) {
    const char *path = cli_value(args, "against");
    const bough_net *now = routing->net;
    char *spec = NULL;
    if (!path && cli_has(args, "against-lft"))
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "--against-lft needs --against, the fabric of these tables");
    if (!path) return BOUGH_OK;
    if (!now->fabric)
        return bough_fail(error, BOUGH_INVALID, NULL, "--against compares fabric files, and %s is none",
                          now->spec);
    if (now->faults)
        return bough_fail(error, BOUGH_INVALID, NULL,
                          "--against compares files; of --faults it takes each: and curves only");
    if (routings > 1)
        return bough_fail(error, BOUGH_INVALID, NULL, "--against compares one routing, and %zu are given",
                          routings);
    a->asked = true;
    bough_status status = cli_network_spec(args, path, true, &spec, error);
    TRY(bough_net_create(spec, &a->old, error));
    free(spec);
    if (!status && !a->old->fabric)
        status =
            bough_fail(error, BOUGH_INVALID, NULL, "--against needs a fabric file, and %s is none", path);
    TRY(open_routing(args, routing, a, error));
    TRY(bough_fabric_compare(a->old->fabric, now->fabric, &a->fabric, &a->findings, error));
    return status;
}

bough_status check_against_find(check_against *a, const bough_routing *routing,
                                const bough_check_options *options, const bough_check_result *after,
                                bough_error *error) {
    bough_check_options o = *options;
    if (!a->asked || !a->routing) return BOUGH_OK;
    if (has_tables(routing) != has_tables(a->routing)) {
        snprintf(a->why, sizeof a->why, "one side has tables and the other has none (--against-lft)");
        return BOUGH_OK;
    }
    o.permutations = 0;
    bough_status status =
        bough_routing_compare(a->routing, routing, &o, after, &a->changes, &a->findings, error);
    a->routed = !status;
    return not_comparable(a, status, error) ? BOUGH_OK : status;
}

void check_against_fini(check_against *a) {
    bough_routing_changes_fini(&a->changes);
    bough_findings_fini(&a->findings);
    bough_routing_destroy(a->routing);
    bough_net_destroy(a->old);
    *a = (check_against){0};
}

/* ---- what is counted; of nodes and cables first how many there were and are ---- */

typedef struct counted {
    const char *key;   /* in JSON */
    const char *words; /* in text; NULL: not there */
    uint64_t value;
} counted;

enum { COUNTS_MAX = 8 };
typedef struct counts {
    counted of[COUNTS_MAX]; /* to the first without a key */
} counts;

static counts count_nodes(const bough_node_changes *n) {
    return (counts){{{"before", NULL, n->before},
                     {"now", NULL, n->now},
                     {"gone", "gone", n->gone},
                     {"new", "new", n->fresh},
                     {"replaced", "with another GUID", n->replaced},
                     {"renamed", "renamed", n->renamed},
                     {"other_lid", "with another LID", n->relabelled}}};
}

static counts count_cables(const bough_cable_changes *c) {
    return (counts){{{"before", NULL, c->before},
                     {"now", NULL, c->now},
                     {"gone", "gone", c->gone},
                     {"new", "new", c->fresh},
                     {"moved", "moved", c->moved},
                     {"slower", "slower", c->slower},
                     {"faster", "faster", c->faster}}};
}

static counts count_pairs(const bough_routing_changes *r) {
    return (counts){{{"count", NULL, r->pairs},
                     {"same", "the same", r->same},
                     {"other", "another way", r->other},
                     {"longer", NULL, r->longer},
                     {"shorter", NULL, r->shorter},
                     {"lost", "lost", r->lost},
                     {"restored", "restored", r->restored},
                     {"unrouted", "in neither", r->unrouted}}};
}

/* ---- text ---- */

/* ": 3 gone, 1 new"; false where all are 0. */
static bool put_counts(bough_text *out, const counts *all) {
    const char *separator = ": ";
    for (const counted *c = all->of; c < all->of + COUNTS_MAX && c->key; c++) {
        if (!c->words || !c->value) continue;
        bough_text_printf(out, "%s%" PRIu64 " %s", separator, c->value, c->words);
        separator = ", ";
    }
    return *separator == ',';
}

static void print_parts(bough_text *out, const char *what, counts all) {
    bough_text_printf(out, "  %-16s %" PRIu64 " before, %" PRIu64 " now", what, all.of[0].value,
                      all.of[1].value);
    bough_text_put(out, put_counts(out, &all) ? "\n" : ": the same\n");
}

static void print_load(bough_text *out, const char *what, double before, double now) {
    bough_text_printf(out, "  %-16s %.5g before, %.5g now", what, before, now);
    if (before > 0 && fabs(now - before) > 1e-9 * before)
        bough_text_printf(out, " (%+.1f %%)\n", 100 * (now / before - 1));
    else
        bough_text_printf(out, "\n");
}

static void print_links(bough_text *out, const check_against *a, const bough_net *now) {
    const bough_routing_changes *r = &a->changes;
    char name[300];
    if (!r->links) return;
    bough_text_printf(out, "  %zu links between the same ports have other loads; the largest differences:\n",
                      r->links);
    for (size_t i = 0; i < r->links && i < LINKS_SHOWN; i++)
        bough_text_printf(out, "    %7.5g -> %-7.5g %s\n", r->link[i].before, r->link[i].now,
                          bough_link_name(now, r->link[i].link, name, sizeof name));
}

static void print_routing(bough_text *out, const check_against *a, const bough_routing *routing,
                          const bough_check_result *after) {
    const bough_routing_changes *r = &a->changes;
    const counts pairs = count_pairs(r);
    if (!a->routed) {
        bough_text_printf(out, "  routing          not compared: %s\n", a->why);
        return;
    }
    if (r->paths) {
        bough_text_printf(out, "  paths            %" PRIu64 " pairs of %" PRIu64 " endpoints in both",
                          r->pairs, r->endpoints);
        put_counts(out, &pairs);
        bough_text_printf(out, "\n");
        if (r->longer || r->shorter)
            bough_text_printf(out,
                              "                   of another way %" PRIu64 " longer, %" PRIu64 " shorter\n",
                              r->longer, r->shorter);
    }
    print_load(out, "all-to-all", r->before.alltoall_max, after->alltoall_max);
    print_load(out, "worst shift", r->before.shift_max, after->shift_max);
    print_load(out, "shifts, mean", r->before.shift_mean, after->shift_mean);
    print_links(out, a, routing->net);
}

static void print_verdict(bough_text *out, const check_against *a) {
    uint64_t count[3] = {0};
    for (size_t i = 0; i < a->findings.count; i++) count[a->findings.item[i].severity]++;
    if (!a->findings.count)
        bough_text_printf(out, "  nothing has changed\n");
    else if (count[BOUGH_ERROR])
        bough_text_printf(out, "  verdict          worse: pairs are lost\n");
    else if (count[BOUGH_WARN])
        bough_text_printf(out, "  verdict          worse: %" PRIu64 " warning%s among the findings\n",
                          count[BOUGH_WARN], count[BOUGH_WARN] == 1 ? "" : "s");
    else
        bough_text_printf(out, "  verdict          nothing is worse\n");
}

void check_against_print(bough_text *out, const check_against *a, const bough_routing *routing,
                         const bough_check_result *after) {
    if (!a->asked) return;
    bough_text_put(out, "\n");
    bough_text_put_line(out, "against     %s%s%s", a->old->fabric->source, a->routing ? ", " : "",
                        a->routing ? a->routing->spec : "");
    print_parts(out, "hosts", count_nodes(&a->fabric.host));
    print_parts(out, "switches", count_nodes(&a->fabric.other));
    print_parts(out, "cables to hosts", count_cables(&a->fabric.access));
    print_parts(out, "cables between", count_cables(&a->fabric.inner));
    print_routing(out, a, routing, after);
    print_verdict(out, a);
}

/* ---- JSON ---- */

static json_t *whole(uint64_t value) {
    return json_integer((json_int_t)value);
}

static json_t *json_counts(counts all) {
    json_t *o = json_object();
    for (const counted *c = all.of; c < all.of + COUNTS_MAX && c->key; c++)
        bough_json_put(&o, c->key, whole(c->value));
    return o;
}

static json_t *loads_object(const bough_check_result *r) {
    json_t *o = json_object();
    bough_json_put(&o, "routed", whole(r->routed));
    bough_json_put(&o, "alltoall_max", bough_json_real(r->alltoall_max));
    bough_json_put(&o, "shift_max", bough_json_real(r->shift_max));
    bough_json_put(&o, "shift_mean", bough_json_real(r->shift_mean));
    return o;
}

static json_t *json_links(const check_against *a, const bough_net *now) {
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

static void add_routing(json_t **o, const check_against *a, const bough_net *now,
                        const bough_check_result *after) {
    const bough_routing_changes *r = &a->changes;
    bough_json_put(o, "pairs", r->paths ? json_counts(count_pairs(r)) : json_null());
    bough_json_put(o, "before", loads_object(&r->before));
    bough_json_put(o, "now", loads_object(after));
    bough_json_put(o, "links", json_links(a, now));
}

json_t *check_against_json(const check_against *a, const bough_net *now, const bough_check_result *after) {
    json_t *o = json_object();
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, a->old->fabric->hash);
    bough_json_put(&o, "fabric", bough_json_string(a->old->fabric->source));
    bough_json_put(&o, "fabric_hash", json_string(hash));
    bough_json_put(&o, "routing", a->routing ? bough_json_string(a->routing->spec) : json_null());
    bough_json_put(&o, "hosts", json_counts(count_nodes(&a->fabric.host)));
    bough_json_put(&o, "switches", json_counts(count_nodes(&a->fabric.other)));
    bough_json_put(&o, "host_cables", json_counts(count_cables(&a->fabric.access)));
    bough_json_put(&o, "cables", json_counts(count_cables(&a->fabric.inner)));
    if (a->routed)
        add_routing(&o, a, now, after);
    else
        bough_json_put(&o, "not_compared", bough_json_string(a->why));
    return o;
}
