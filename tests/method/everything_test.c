/* Every network with every routing, traffic and method: it is refused in one line, or answered by finite
 * figures that stand once each and are the same when the trial is run again in a used workspace. Where paths
 * are fixed, no engine is faster than the bound of the most loaded link. What is added to the library's
 * tables is to be added here. */
#include "bough.h"
#include "method/method.h"
#include "network/faults/faults.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define CORPUS   SOURCE_DIR "/tests/fuzz/corpus/fuzz_training/"

static const char *const networks[] = {
    "fattree:n=8",
    "xgft:down=4x2,up=1x2,links=1x2",
    "kary:k=2,levels=3",
    "clos:radix=8,hosts=15,taper=2",
    "bft:n=16",
    "pruned:n=16",
    "butterfly:n=8",
    "sorting:n=128",
    "cube:n=8",
    "mesh:dims=3x2",
    "hyperx:dims=3x2,hosts=1",
    "dragonfly:a=2,h=1,p=1",
    "slimfly:q=3,p=1",
    "torus:dims=3,oneway=1,classes=2",
    "transit:n=64",
    "transit:n=9,radix=3,dilation=1",
    "meshoftrees:n=4",
    "ibnet:" SOURCE_DIR "/examples/ethernet/leaf-spine.csv",
    "ibnet:" SOURCE_DIR "/examples/fabric/cluster.ibnetdiscover",
    "groups:a=3,h=1", /* of a plug-in, as are `spread`, `opposite` and `paths` */
};

static const char *const routings[] = {
    "free",
    "random",
    "first",
    "least",
    "hash",
    "dmodk",
    "smodk",
    "lft:" SOURCE_DIR "/examples/fabric/cluster.ftree.lfts.gz",
    "valiant",
    "bitfix",
    "minhop",
    "updn",
    "adaptive",
    "adaptive:choose=least",
    "adaptive:choose=random",
    "spread",
};

/* NULL: none. */
static const char *const traffics[] = {
    NULL,
    "uniform",
    "shift",
    "transpose",
    "bitrev",
    "bitcomp",
    "shuffle",
    "tornado",
    "neighbor",
    "randperm",
    "hotspot",
    "incast",
    "alltoall",
    "messages:everything.csv",
    "poisson:load=0.1",
    "bernoulli:load=0.1",
    "local:p=0.5",
    "hrelation",
    "motexp",
    "edges:of=cube:n=16",
    "heights:load=2",
    "goal:everything.goal",
    "allreduce:tree,size=1kB",
    "allreduce:sharp,size=1kB,chunk=300",
    "allgather:size=100",
    "reducescatter:size=400kB,o=0ns,g=0ns",
    "broadcast:chain,size=1kB",
    "reduce:size=100",
    "barrier",
    "halo:2x2,size=1kB,compute=1us,jitter=exponential:5%",
    "aicb:" CORPUS "aicb",
    "simai:" CORPUS "simai,ranks=8",
    "mpitrace:" SOURCE_DIR "/examples/mpitrace",
    "chakra:" SOURCE_DIR "/examples/chakra/step",
    "otf2:" SOURCE_DIR "/examples/otf2",
    "train:" CORPUS "../fuzz_model/pipeline",
    "jobs:everything.jobs",
    "cm:everything.cm",
    "flows:everything.flows",
    "matrix:everything.matrix",
    "weights:everything.matrix",
    "bernoulli:load=0.1,pattern=weights:everything.matrix",
    "opposite",
};

static const char *const methods[] = {
    "circuit",
    "circuit:mode=cycles",
    "circuit:mode=attempt",
    "worm",
    "worm:vcs=2,credit=1",
    "packet",
    "flow",
    "flow:hot=2,levels=1",
    "flow:interference=1",
    "sensitivity",
    "loggops",
    "sidetrack",
    "sortroute",
    "offline",
    "online",
    "simulate",
    "hardest:method=linkload,sets=1",
    "bins",
    "bins:levels=1,history=1",
    "bins:engine=exact,within=3",
    "collision:limit=30000",
    "collision:pairs=traffic,levels=1,limit=30000",
    "bound",
    "bound:load=1",
    "queueing",
    "blocking",
    "linkload",
    "linkload:levels=1",
    "connectivity",
    "adversary",
    "slowest:budget=20",
    "parts",
    "locality",
    "channels",
    "flight",
    "layout",
    "atbound",
    "data",
    "paths",
};

static const char *const plugins[] = {"groups", "spread", "opposite", "paths"};
static bough_registry *registry;

/* The same on streams, which would go on for long; what is no stream has no messages= and warmup=. */
static const char *const on_streams[][2] = {
    {"worm", "worm:messages=100,warmup=100"},
    {"worm:vcs=2,credit=1", "worm:vcs=2,credit=1,messages=100,warmup=100"},
    {"packet", "packet:messages=100,warmup=100"},
    {"circuit:mode=cycles", "circuit:mode=cycles,messages=100,warmup=100"},
};

static const struct {
    const char *path, *text;
} files[] = {
    {"everything.csv", "source,destination\n0,1\n1,2\n"},
    {"everything.goal",
     "num_ranks 2\nrank 0 {\nl1: send 50b to 1 tag 3\n}\nrank 1 {\nl1: recv 50b from 0 tag 3\nl2: calc 7\nl2 "
     "requires l1\n}\n"},
    {"everything.jobs",
     "name,traffic,hosts,place\na,\"alltoall:shift\",4,linear\nb,\"allreduce:ring\",3,random\n"},
    {"everything.flows", "1\n0 1 3 100 5000 2\n"},
    {"everything.cm", "Nodes 2\nConnections 1\n0->1 start 0 size 5000\n"},
    {"everything.matrix", "0 5\n7 0\n"},
};

static bool names(const char *spec, const char *name) {
    size_t length = strlen(name);
    return spec && strncmp(spec, name, length) == 0 && (spec[length] == 0 || spec[length] == ':');
}

static void expect_name(const char *const *spec, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (names(spec[i], name)) return;
    fail_msg("%s stands in no list of this test", name);
}

static void all_are_listed(void **state) {
    (void)state;
    for (size_t i = 0; bough_family_at(registry, i); i++)
        expect_name(networks, COUNT(networks), bough_family_at(registry, i)->name);
    for (size_t i = 0; bough_routing_kind_at(registry, i); i++)
        expect_name(routings, COUNT(routings), bough_routing_kind_at(registry, i)->name);
    for (size_t i = 0; bough_traffic_kind_at(registry, i); i++)
        expect_name(traffics, COUNT(traffics), bough_traffic_kind_at(registry, i)->name);
    for (size_t i = 0; bough_method_at(registry, i); i++)
        expect_name(methods, COUNT(methods), bough_method_at(registry, i)->name);
}

/* ---- one point and method ---- */

typedef struct tally {
    unsigned answered, refused;
} tally;

/* Of the questions only every shares-th is asked: main's arguments, where a tool makes all of them too slow.
 */
static unsigned shares = 1, share, question;

static void fail_at(const bough_point *p, const char *method, const char *what, const char *detail) {
    fail_msg("%s, %s, %s, %s: %s%s", p->net->spec, p->routing ? p->routing->spec : "-",
             p->traffic ? p->traffic->spec : "-", method ? method : "-", what, detail);
}

static void expect_reason(const bough_point *p, const char *method, const bough_error *error) {
    if (!error->reason[0] || strchr(error->reason, '\n'))
        fail_at(p, method, "refused without one line: ", error->reason);
}

static int by_metric(const void *a, const void *b) {
    const bough_row *x = a, *y = b;
    if (x->metric != y->metric) return x->metric < y->metric ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static void expect_answers(const bough_point *p, const char *method, const bough_rows *rows) {
    bough_row *sorted = malloc((rows->count + 1) * sizeof *sorted);
    assert_non_null(sorted);
    for (size_t i = 0; i < rows->count; i++) {
        const char *name = bough_metrics[rows->row[i].metric].name;
        bool none = isnan(rows->row[i].value) && rows->outcome == BOUGH_RUN_SATURATED;
        if (!isfinite(rows->row[i].value) && !none) fail_at(p, method, "not finite: ", name);
        if (!(rows->row[i].ci95 >= 0 && rows->row[i].ci95 < INFINITY))
            fail_at(p, method, "no interval: ", name);
        sorted[i] = rows->row[i];
    }
    qsort(sorted, rows->count, sizeof *sorted, by_metric);
    for (size_t i = 1; i < rows->count; i++)
        if (by_metric(&sorted[i - 1], &sorted[i]) == 0)
            fail_at(p, method, "twice: ", bough_metrics[sorted[i].metric].name);
    free(sorted);
    if (rows->count == 0 && rows->outcome == BOUGH_RUN_OK) fail_at(p, method, "no answer", "");
    if (rows->outcome != BOUGH_RUN_OK && !rows->note[0])
        fail_at(p, method, "no reason: ", bough_outcome_name(rows->outcome));
}

static bool same_value(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static bool same_rows(const bough_rows *a, const bough_rows *b) {
    if (a->count != b->count || a->outcome != b->outcome || strcmp(a->note, b->note) != 0) return false;
    for (size_t i = 0; i < a->count; i++) {
        const bough_row *x = &a->row[i], *y = &b->row[i];
        if (by_metric(x, y) || !same_value(x->value, y->value) || x->ci95 != y->ci95) return false;
    }
    return true;
}

static double value_of(const bough_rows *rows, bough_metric_id metric) {
    for (size_t i = 0; i < rows->count; i++)
        if (rows->row[i].metric == metric && rows->row[i].index == BOUGH_NO_ROW_INDEX)
            return rows->row[i].value;
    return NAN;
}

/* Trial 0 on three threads, in a workspace of its own. */
static void ask_threads(const bough_point *p, const char *method, bough_run *run, const bough_rows *first) {
    bough_rows rows = {0};
    bough_error error = {0};
    void *workspace = NULL;
    if (!run->parallel) return;
    run->threads = 3;
    if (bough_run_trial(run, bough_key_make(1, 0), &workspace, &rows, &error))
        fail_at(p, method, "not on three threads: ", error.reason);
    if (!same_rows(first, &rows)) fail_at(p, method, "three threads differ from one", "");
    bough_run_free_workspace(run, workspace);
    bough_rows_fini(&rows);
}

/* Trials 0, 1 and 0 again, in one workspace. */
static void ask(const bough_point *p, const char *method, tally *t, bough_rows *first) {
    bough_run *run;
    bough_error error = {0};
    if (bough_run_create(method, p, &run, &error)) {
        expect_reason(p, method, &error);
        t->refused++;
        return;
    }
    bough_rows rows[3] = {{0}};
    void *workspace = NULL;
    bool answered = true;
    for (int i = 0; i < 3 && answered; i++) {
        error = (bough_error){0};
        answered = !bough_run_trial(run, bough_key_make(1, i == 1), &workspace, &rows[i], &error);
        if (!answered && i == 2) fail_at(p, method, "only once: ", error.reason);
        if (!answered) expect_reason(p, method, &error);
        if (answered) expect_answers(p, method, &rows[i]);
    }
    if (answered && !same_rows(&rows[0], &rows[2])) fail_at(p, method, "trial 0 differs from trial 0", "");
    if (answered && t->answered % 4 == 0)
        ask_threads(p, method, run, &rows[0]); /* of each fourth: it takes long */
    *(answered ? &t->answered : &t->refused) += 1;
    bough_run_free_workspace(run, workspace);
    bough_run_destroy(run);
    *first = rows[0];
    bough_rows_fini(&rows[1]);
    bough_rows_fini(&rows[2]);
}

static const char *method_on(const bough_traffic *traffic, const char *method) {
    for (size_t i = 0; traffic && traffic->law && i < COUNT(on_streams); i++)
        if (strcmp(method, on_streams[i][0]) == 0) return on_streams[i][1];
    return method;
}

/* All methods at a point. */
static void ask_all(const bough_point *p, bool fixed, tally *t) {
    double bound = NAN, completion[COUNT(methods)];
    for (size_t i = 0; i < COUNT(methods); i++) completion[i] = NAN;
    for (size_t i = 0; i < COUNT(methods); i++) {
        bough_rows rows = {0};
        if (p->traffic && names(methods[i], "hardest")) continue; /* long, and the same for any traffic */
        ask(p, method_on(p->traffic, methods[i]), t, &rows);
        completion[i] = rows.outcome == BOUGH_RUN_OK ? value_of(&rows, BOUGH_METRIC_COMPLETION_TIME) : NAN;
        if (strcmp(methods[i], "linkload") == 0 && rows.outcome == BOUGH_RUN_OK)
            bound = value_of(&rows, BOUGH_METRIC_BOUND_TIME);
        bough_rows_fini(&rows);
    }
    for (size_t i = 0; i < COUNT(methods) && fixed; i++)
        if (completion[i] < bound * (1 - 1e-9) && !names(methods[i], "loggops"))
            fail_at(p, methods[i], "faster than the most loaded link", "");
}

/* A routing may be refused, and traffic too. */
static void ask_traffic(const bough_net *net, const char *routing, const char *traffic, tally *t) {
    bough_routing *r;
    bough_traffic *messages = NULL;
    bough_error error = {0};
    bough_point p = {.net = net};
    if (question++ % shares != share) return;
    if (bough_routing_create(net, routing, &r, &error)) {
        expect_reason(&p, routing, &error);
        return;
    }
    p.routing = r;
    error = (bough_error){0};
    if (traffic && bough_traffic_create(net, traffic, &messages, &error)) {
        expect_reason(&p, traffic, &error);
    } else if (!messages || messages->messages < 5000) { /* more takes long and tries nothing new */
        p.traffic = messages;
        ask_all(&p, bough_routing_deterministic(r), t);
    }
    bough_traffic_destroy(messages);
    bough_routing_destroy(r);
}

/* A network, what is removed from it, and its compute nodes; node NULL: none. adding: its switches add. */
typedef struct asked_network {
    const char *spec, *faults, *node;
    bool all_routings, adding;
} asked_network;

static void ask_points(const bough_net *net, bool all_routings, tally *t) {
    /* What the routings beside the default one are tried with. */
    static const char *const some[] = {"shift:k=1", "randperm", "alltoall", "poisson:load=0.1",
                                       "reducescatter:size=400kB,o=0ns,g=0ns"};
    for (size_t i = 0; i < COUNT(traffics); i++) ask_traffic(net, NULL, traffics[i], t);
    for (size_t r = 0; r < COUNT(routings) && all_routings; r++)
        for (size_t i = 0; i < COUNT(some); i++) ask_traffic(net, routings[r], some[i], t);
}

static tally ask_network(const asked_network *a) {
    tally t = {0};
    bough_net *whole, *net, *gpus = NULL, *adding = NULL;
    bough_node_setting *node = NULL;
    bough_error error;
    if (bough_net_open(a->spec, registry, &whole, &error)) fail_msg("%s: %s", a->spec, error.reason);
    if (bough_net_with_faults(whole, a->faults, &net, &error))
        fail_msg("%s, %s: %s", a->spec, a->faults, error.reason);
    if (a->node && (bough_node_setting_create(a->node, &node, &error) ||
                    bough_compute_nodes_create(net, node, &gpus, &error)))
        fail_msg("%s, %s: %s", a->spec, a->node, error.reason);
    if (a->adding && bough_aggregation_create(gpus ? gpus : net, 7000, &adding, &error))
        fail_msg("%s, %s: %s", a->spec, a->faults, error.reason);
    ask_points(adding ? adding : gpus ? gpus : net, a->all_routings, &t);
    bough_net_destroy(adding);
    bough_net_destroy(gpus);
    bough_node_setting_destroy(node);
    bough_net_destroy(net);
    bough_net_destroy(whole);
    return t;
}

/* At least so many methods must answer: else the questions are no good. */
static void expect_answers_of(const asked_network *a, unsigned least) {
    tally t = ask_network(a);
    print_message("%s, %s, %s: %u answered, %u refused\n", a->spec, a->faults, a->node ? a->node : "no nodes",
                  t.answered, t.refused);
    assert_true(t.answered * shares > least || shares > 2);
}

static void expect_answered(const char *network, const char *faults, bool all_routings, unsigned least) {
    expect_answers_of(&(asked_network){network, faults, NULL, all_routings}, least);
}

static void whole(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(networks); i++) expect_answered(networks[i], "none", true, 100);
}

static void with_compute_nodes(void **state) {
    (void)state;
    static const asked_network all[] = {
        {"xgft:down=4x2,up=1x2", "none", "dgx-h100:gpus=2,nics=2", true},
        {"xgft:down=4x2,up=1x2", "links:share=10%", "dgx-h100:gpus=2,nics=2", false},
        {"xgft:down=4x2,up=1x2", "links:share=10%,mode=rerouted", "dgx-a100:gpus=4,nics=2,pxn=0", true},
        {"xgft:down=4x2,up=1x2", "links:share=10%,mode=blind", "dgx-h100:gpus=2,nics=2", false},
        {"kary:k=2,levels=3", "none", "pcie:gpus=2,nics=2", true},
        {"cube:n=8", "none", "pcie:gpus=2,nics=2", false},
        {"ibnet:" SOURCE_DIR "/examples/ethernet/leaf-spine.csv", "none", "dgx-h100:gpus=2,nics=2", true},
    };
    for (size_t i = 0; i < COUNT(all); i++) expect_answers_of(&all[i], 50);
}

static void with_switches_that_add(void **state) {
    (void)state;
    static const asked_network all[] = {
        {"xgft:down=4x2,up=1x2,links=1x2", "none", NULL, true, true},
        {"xgft:down=4x2,up=1x2", "links:share=10%", NULL, false, true},
        {"xgft:down=4x2,up=1x2", "links:share=10%,mode=rerouted", NULL, false, true},
        {"xgft:down=4x2,up=1x2", "links:share=10%,mode=blind", NULL, false, true},
        {"xgft:down=4x2,up=1x2", "slow:links,share=10%,rate=30%+slow:hosts,count=1,compute=2", NULL, false,
         true},
        {"clos:radix=8,hosts=15,taper=2", "none", "dgx-h100:gpus=2,nics=2", true, true},
        {"kary:k=2,levels=3", "none", "pcie:gpus=2,nics=2", false, true},
        {"butterfly:n=8", "none", NULL, false, true},
        {"transit:n=64", "none", NULL, false, true},
        {"ibnet:" SOURCE_DIR "/examples/fabric/cluster.ibnetdiscover", "none", NULL, true, true},
        {"groups:a=3,h=1", "none", NULL, false, true},
    };
    for (size_t i = 0; i < COUNT(all); i++) expect_answers_of(&all[i], 20);
}

/* Of one endpoint, of one switch beneath several, and with no power of two. */
static void odd(void **state) {
    (void)state;
    expect_answered("kary:k=1,levels=1", "none", true, 100);
    expect_answered("xgft:down=1x4,up=1x2", "none", true, 100);
    expect_answered("xgft:down=3x5,up=1x3", "none", true, 100);
    expect_answered("transit:n=4,radix=2,dilation=3,wires=checked", "none", true, 100);
    expect_answered("transit:leaf=6,radix=3,levels=1,shortcuts=0,wires=deterministic", "none", true, 100);
}

static void with_faults(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(networks); i++) {
        expect_answered(networks[i], "links:share=10%", false, 50);
        expect_answered(networks[i], "links:share=10%,mode=rerouted", true, 50);
        expect_answered(networks[i], "links:share=10%,mode=blind", false, 50);
        expect_answered(networks[i], "slow:links,share=10%,rate=30%+slow:hosts,count=1,compute=2", false, 50);
    }
}

static int load_plugins(void) {
    bough_error error;
    if (bough_registry_create(&registry, &error)) return -1;
    for (size_t i = 0; i < COUNT(plugins); i++) {
        char path[512];
        snprintf(path, sizeof path, PLUGINS "/%s.so", plugins[i]);
        if (bough_registry_load(registry, path, &error)) return print_error("%s\n", error.reason), -1;
    }
    return 0;
}

static int set_up(void **state) {
    (void)state;
    if (load_plugins()) return -1;
    for (size_t i = 0; i < COUNT(files); i++) {
        FILE *f = fopen(files[i].path, "w");
        if (!f || fputs(files[i].text, f) < 0 || fclose(f)) return -1;
    }
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    bough_registry_destroy(registry);
    for (size_t i = 0; i < COUNT(files); i++) unlink(files[i].path);
    return 0;
}

/* everything_test [SHARES [SHARE]]: one of so many shares (0 ..) of the questions; else all. Without SHARE
 * the environment says which, BOUGH_SHARE (any number), or it is the first. */
int main(int count, char **argument) {
    if (count > 1) {
        const char *chosen = count > 2 ? argument[2] : getenv("BOUGH_SHARE");
        shares = (unsigned)atoi(argument[1]);
        share = chosen ? (unsigned)atoi(chosen) % shares : 0;
        print_message("share %u of %u\n", share, shares);
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_are_listed),
                                       cmocka_unit_test(whole),
                                       cmocka_unit_test(odd),
                                       cmocka_unit_test(with_compute_nodes),
                                       cmocka_unit_test(with_switches_that_add),
                                       cmocka_unit_test(with_faults)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
