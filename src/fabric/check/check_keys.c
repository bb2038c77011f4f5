#include "fabric/check/check_keys.h"

#include "base/status/try.h"
#include "formats/fabrics/fabric.h"

#include <string.h>

/* ---- routings: tables and others, in the order in which they were given ---- */

/* Takes the text over. */
static bough_status add_routing(check_asked *a, bough_text *text, bough_error *error) {
    char *spec = NULL;
    bough_status status = bough_text_keep(text, &a->memory, &spec, error);
    TRY(key_list_add(&a->memory, &a->question.routing, &a->question.routings, spec, error));
    return status;
}

bough_status check_asked_add_tables(check_asked *asked, const char *path, bough_error *error) {
    bough_text text = {0};
    put_tables_spec(&text, path);
    return add_routing(asked, &text, error);
}

static bough_status take_lft(const key_given *given, void *asked, bough_error *error) {
    return check_asked_add_tables(asked, given->value, error);
}

static bough_status take_routing(const key_given *given, void *asked, bough_error *error) {
    bough_text text = {0};
    bough_text_put(&text, given->value);
    return add_routing(asked, &text, error);
}

/* The nearest lft before a setting, else the first one; NULL: none. */
static const char *tables_for(const key_given *given) {
    for (size_t i = given->at; i-- > 0;)
        if (strcmp(given->all->item[i].key->name, "lft") == 0) return given->all->item[i].value;
    return keys_value(given->all, "lft");
}

/* minimal, same-switch (of these tables), or the path of a file of groups, whose switches without groups use
 * the tables. */
static bough_status take_adaptive(const key_given *given, void *asked, bough_error *error) {
    const char *groups = given->value, *tables = tables_for(given);
    bough_text text = {0};
    if (strcmp(groups, "minimal") == 0) {
        bough_text_put(&text, "adaptive:groups=minimal");
        tables = NULL;
    } else if (strcmp(groups, "same-switch") == 0) {
        bough_text_put(&text, "adaptive:groups=same-switch");
    } else {
        bough_text_put(&text, "adaptive:file=");
        bough_text_put_quoted(&text, groups);
    }
    if (tables) {
        bough_text_put(&text, ",lft=");
        bough_text_put_quoted(&text, tables);
    }
    return add_routing(asked, &text, error);
}

/* ---- other keys that are more than their value ---- */

static bough_status take_against_lft(const key_given *given, void *asked, bough_error *error) {
    bough_text text = {0};
    char *spec = NULL;
    put_tables_spec(&text, given->value);
    bough_status status = bough_text_keep(&text, given->memory, &spec, error);
    ((check_asked *)asked)->question.against_lft = spec;
    return status;
}

/* The option counts three things, each with a default of its own. */
static bough_status take_trials(const key_given *given, void *asked, bough_error *error) {
    bough_check_question *q = &((check_asked *)asked)->question;
    bool curve = false;
    uint64_t number = 0;
    for (size_t k = 0; k < given->all->count; k++)
        curve = curve || (strcmp(given->all->item[k].key->name, "faults") == 0 &&
                          bough_failures_is_curve(given->all->item[k].value));
    bough_status status = bough_parse_between(given->value, given->name,
                                              (bough_bounds){curve ? 1 : 0, 1000000}, &number, error);
    if (!status) q->permutations = q->draws = q->job_trials = number;
    return status;
}

static bough_status take_worst(const key_given *given, void *asked, bough_error *error) {
    static const char *const names[] = {"no", "cheap", "always"};
    for (int k = 0; k < 3; k++) {
        if (strcmp(given->value, names[k]) != 0) continue;
        ((check_asked *)asked)->question.worst = (bough_check_worst)k;
        return BOUGH_OK;
    }
    return bough_fail(error, BOUGH_INVALID, NULL, "worst=%s must be no, cheap or always", given->value);
}

/* ---- the keys ---- */

#define AT(member)       offsetof(check_asked, member)
#define LIST(member, of) KEY_LIST, AT(question.member), AT(question.of)

const question_key check_keys[] = {
    {"network", 0, "FABRIC", "a spec, or the path of a fabric file", KEY_PROGRAM, "FAMILIES|FILE", KEY_TEXT,
     AT(network.text)},
    {"lft", 0, "TABLES",
     "forwarding tables: opensm-lfts.dump, opensm.fdbs, ibdiagnet2.fdbs, or the output of ibroute or "
     "dump_fts;\n"
     "a file, or a directory or archive with a file for each switch; repeat it to compare",
     KEY_REPEAT, "FILE", KEY_TAKEN, .take = take_lft},
    {"routing", 0, "R", "a routing that bough computes (`bough list routings`); repeat it to compare",
     KEY_REPEAT, "ROUTINGS", KEY_TAKEN, .take = take_routing},
    {"adaptive", 0, "GROUPS",
     "adaptive routing, beside the tables: minimal: all links on shortest paths; same-switch: all links to\n"
     "the switch to which --lft leads; or the groups that switches have: ibdiagnet2.far; repeatable",
     KEY_REPEAT, "minimal|same-switch|FILE", KEY_TAKEN, .take = take_adaptive},
    {"faults", 0, "SPEC",
     "each:cable or each:switch: every single failure, the worst first; links:share=0..10%: a curve of\n"
     "degradation, also with `step 2%`; any other (`bough list faults`): the fabric without it; repeatable",
     KEY_REPEAT, "FAULTS", LIST(faults, faults_count)},
    {"job", 0, "TRAFFIC",
     "which routing is better for this job (`bough list traffic`): the most loaded link, and when\n"
     "it is done; repeatable",
     KEY_REPEAT, "TRAFFIC", LIST(job, jobs)},
    {"physical", 0, "SPEC", "rates of links that have none, delays, hosts (`bough list physical`)", 0,
     "PHYSICAL", KEY_TEXT, AT(question.physical)},
    {"against", 0, "OLD",
     "what has changed since the fabric file OLD: hosts, cables, paths, loads; a --routing\n"
     "is computed for OLD too",
     0, "FILE", KEY_TEXT, AT(against.text)},
    {"against-lft", 0, "TABLES", "the tables of OLD, to compare --lft with", 0, "FILE", KEY_TAKEN,
     .take = take_against_lft},
    {"expect", 0, "PLAN",
     "which cables are not as planned: swapped, moved, missing, extra. PLAN is a list of cables (.csv) or\n"
     "any other fabric file, a network spec (xgft:..., clos:...), or `regular`: the nearest regular tree",
     0, "FILE|FAMILIES|regular", KEY_TEXT, AT(question.expect)},
    {"slurm", 0, "FILE",
     "compare Slurm's topology.conf or .yaml with the fabric: hosts below another leaf, missing or unknown\n"
     "ones, lines that match no switch",
     0, "FILE", KEY_TEXT, AT(question.slurm)},
    {"place", 0, "HOSTS",
     "how good these hosts are for a --job (default: all-to-all), and which row of hosts is better:\n"
     "node[001-016]; or a number of hosts: which are the best",
     0, NULL, KEY_TEXT, AT(question.place)},
    {"busy", 0, "HOSTLIST", "hosts that --place must not take", 0, NULL, KEY_TEXT, AT(question.busy)},
    {"counters", 0, "FILE",
     "compare measured port counters with the predicted loads: output of perfquery or ibqueryerrors,\n"
     "ibdiagnet2.db_csv, or metrics for Prometheus; given twice, the earlier first: what was counted between",
     KEY_REPEAT, "FILE", LIST(counters, counter_files)},
    {"interval", 0, "SECONDS", "time between the two files of --counters, if they do not say it", 0, NULL,
     KEY_TEXT, AT(question.interval)},
    ENDPOINT_KEYS(check_asked, network),
    {"trials", 0, "N",
     "random permutations to draw (default 100), draws for each share of --faults (20), draws\n"
     "of a --job (until its interval is 1 %, at most 100)",
     KEY_COMMAND, NULL, KEY_TAKEN, .take = take_trials},
    {"permutations", 0, "N", "random permutations to draw (default 100)", KEY_PROGRAM, NULL, KEY_WHOLE,
     AT(question.permutations), .bounds = {0, 1000000}, .fallback = 100},
    {"draws", 0, "N", "draws for each share of a curve of faults (default 20)", KEY_PROGRAM, NULL, KEY_WHOLE,
     AT(question.draws), .bounds = {1, 1000000}},
    {"job-trials", 0, "N", "draws of a job (default: until its interval is 1 %, at most 100)", KEY_PROGRAM,
     NULL, KEY_WHOLE, AT(question.job_trials), .bounds = {1, 1000000}},
    {"seed", 0, "S", "seed of the random permutations (default 1)", 0, NULL, KEY_WHOLE, AT(question.seed),
     .bounds = {0, INT64_MAX}, .fallback = 1},
    {"worst", 0, NULL,
     "find the worst permutation, however long it takes (found anyway under tables for up to\n"
     "9,000 endpoints, under other deterministic routings for up to 1024)",
     KEY_COMMAND, NULL, KEY_FLAG, AT(worst)},
    {"worst", 0, "WHEN", "find the worst permutation (default cheap: where that takes seconds)", KEY_PROGRAM,
     "no|cheap|always", KEY_TAKEN, .take = take_worst},
    KEYS_END,
};

/* ---- the question ---- */

/* The path of the fabric of a network spec: ibnet:file=PATH or ibnet:PATH. NULL: another network. */
static const char *fabric_path(const bough_spec *spec) {
    if (strcmp(spec->name, "ibnet") != 0) return NULL;
    for (unsigned i = 0; i < spec->count; i++)
        if (!spec->arg[i].key || strcmp(spec->arg[i].key, "file") == 0) return spec->arg[i].value;
    return NULL;
}

/* Puts the tables that lie beside the fabric in a directory or an archive before the other routings. */
static bough_status add_tables_beside(check_asked *a, bough_error *error) {
    char **tables = NULL;
    size_t count = 0;
    bough_spec spec;
    bough_check_question *q = &a->question;
    bough_status status = bough_spec_parse(q->network, &spec, error);
    if (status) return status;
    const char *path = fabric_path(&spec);
    if (path) status = bough_fabric_tables_beside(path, &a->memory, &tables, &count, error);
    for (size_t i = 0; i < count; i++) {
        TRY(check_asked_add_tables(a, tables[i], error));
        if (status) break;
        const char **list = (const char **)q->routing, *added = list[q->routings - 1];
        memmove(list + i + 1, list + i, (q->routings - 1 - i) * sizeof *list);
        list[i] = added;
    }
    bough_spec_fini(&spec);
    return status;
}

bough_status check_asked_read(const key_settings *settings, check_asked *a, bough_error *error) {
    bough_check_question *q = &a->question;
    const char *against;
    char *spec = NULL;
    q->worst = BOUGH_CHECK_WORST_CHEAP;
    bough_status status = keys_read(check_keys, settings, &a->memory, a, error);
    if (a->worst) q->worst = BOUGH_CHECK_WORST_ALWAYS;
    a->network.file = settings->command;
    TRY(network_argument_spec(&a->network, q->registry, &a->memory, &spec, error));
    q->network = spec;
    if (!keys_value(settings, "lft")) TRY(add_tables_beside(a, error));
    if (status || !(against = a->against.text)) return status;
    a->against = a->network; /* its endpoints are chosen alike */
    a->against.text = against;
    status = network_argument_spec(&a->against, q->registry, &a->memory, &spec, error);
    q->against = spec;
    return status;
}
