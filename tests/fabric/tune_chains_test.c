/* Chains of changes of tuned tables: what they may do to loads, and bounds that are reached with them only.
 */
#include "fabric/tune/tune.h"
#include "fabric/tune/tune_chains.h"
#include "fabric/tune/tune_search.h"
#include "network/faults/faults.h"

#include "support/specs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double largest(const tune_model *model) {
    double most = 0;
    for (uint32_t a = 0; a < model->tables->graph->arcs; a++) most = fmax(most, model->ops->value(model, a));
    return most;
}

/* All arcs on the new paths of the chain have less than a load. */
static void check_paths(const tune_chains *c, double load) {
    const tune_tables *t = c->model->tables;
    for (unsigned i = 0; i < c->moves; i++)
        for (uint32_t arc, s = c->done[i].node; (arc = *tune_entry(t, c->done[i].host, s)) != BOUGH_NO_INDEX;
             s = t->graph->to[arc])
            assert_true(c->model->ops->value(c->model, arc) < load);
}

/* Tries to lower every arc. Returns how many were. */
static unsigned lower_all(tune_chains *c, uint32_t *before) {
    tune_model *model = c->model;
    const tune_graph *g = model->tables->graph;
    const uint64_t bytes = (uint64_t)g->hosts * g->switches * sizeof *before;
    unsigned lowered = 0;
    for (uint32_t arc = 0; arc < g->arcs; arc++) {
        bough_tune_score now, anew;
        const double value = model->ops->value(model, arc), most = largest(model);
        memcpy(before, model->tables->next, bytes);
        model->power = 64;
        model->reference = most;
        const bool lower = tune_chains_lower(c, arc);
        lowered += lower;
        assert_int_equal(lower, model->ops->value(model, arc) < value);
        assert_true(largest(model) <= most);
        if (lower)
            check_paths(c, value);
        else
            assert_memory_equal(before, model->tables->next, bytes);
        model->ops->score(model, &now);
        model->ops->recount(model);
        model->ops->score(model, &anew);
        assert_memory_equal(&now, &anew, sizeof now);
    }
    return lowered;
}

/* A chain lowers the load of its arc, and makes no load as large as that was; else the tables are as before.
 */
static void chains_lower_one_load(void **state) {
    (void)state;
    static const char *const network[][2] = {
        {"xgft:down=6x6,up=1x4,hosts=34", NULL},
        {"xgft:down=6x4x3,up=1x4x3,hosts=61", NULL},
        {"xgft:down=5x5,up=1x3", "cables:share=12%,key=3"},
        {"xgft:down=4x5,up=1x2,links=1x2", "cables:share=10%,key=4"},
    };
    unsigned lowered = 0;
    for (size_t n = 0; n < sizeof network / sizeof *network; n++) {
        bough_net *whole = net_make(network[n][0]), *net = whole;
        bough_error error;
        tune_graph g;
        tune_tables tables;
        tune_search_result found;
        tune_chains c = {.budget = UINT64_MAX};
        if (network[n][1])
            assert_int_equal(bough_net_with_faults(whole, network[n][1], &net, &error), BOUGH_OK);
        assert_int_equal(tune_graph_make(&g, net, 0, &error), BOUGH_OK);
        assert_int_equal(tune_tables_make(&tables, &g, &error), BOUGH_OK);
        assert_int_equal(tune_model_flows(&tables, NULL, 0, &c.model, &error), BOUGH_OK);
        const tune_search_options options = {.seed = 1, .effort = 0.02};
        assert_int_equal(tune_search(c.model, &options, &found, &error), BOUGH_OK);
        uint32_t *before = calloc((uint64_t)g.hosts * g.switches, sizeof *before);
        c.stack = calloc(g.switches, sizeof *c.stack);
        c.first = calloc(TUNE_CHAIN_CANDIDATES, sizeof *c.first);
        c.next = calloc(TUNE_CHAIN_CANDIDATES, sizeof *c.next);
        lowered += lower_all(&c, before);
        c.budget = 0;
        assert_false(tune_chains_lower(&c, 0));
        free(before), free(c.stack), free(c.first), free(c.next);
        tune_model_destroy(c.model);
        tune_tables_fini(&tables);
        tune_graph_fini(&g);
        if (net != whole) bough_net_destroy(net);
        bough_net_destroy(whole);
    }
    assert_true(lowered > 0);
}

/* Without chains the search ends at 43, 90 and 226. */
static void tight_bounds_are_reached(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        double value;
    } tight[] = {{"xgft:down=6x6,up=1x4,hosts=34", 42},
                 {"xgft:down=8x8,up=1x5,hosts=62", 88},
                 {"xgft:down=12x12,up=1x6,hosts=131", 220}};
    for (size_t i = 0; i < sizeof tight / sizeof *tight; i++) {
        bough_net *net = net_make(tight[i].spec);
        const bough_tune_question q = {.net = net, .objective = BOUGH_TUNE_ALLTOALL, .seed = 1};
        bough_tune_report *r;
        bough_error error;
        assert_int_equal(bough_tune(&q, &r, &error), BOUGH_OK);
        assert_true(r->score.value == tight[i].value && r->bound.value == tight[i].value);
        assert_true(r->optimal && r->unrouted == 0 && r->cycle == 0);
        bough_tune_report_destroy(r);
        bough_net_destroy(net);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_lower_one_load),
        cmocka_unit_test(tight_bounds_are_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
