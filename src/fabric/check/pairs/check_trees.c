/* All shifts by one tree for each address (loads/shifts/shift_loads.h). */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "fabric/check/pairs/permutation_loads.h"
#include "loads/shifts/shift_loads.h"
#include "network/physical/physical.h"

#include <stdlib.h>

/* The links of one rate, those of endpoints apart. */
typedef struct link_class {
    double rate;
    bool endpoint;
} link_class;

typedef struct class_list {
    link_class item[SHIFT_CLASSES_MAX];
    unsigned count;
    uint8_t *of; /* [links] */
} class_list;

/* The number of a class, which is added if it is new; SHIFT_CLASSES_MAX: there are too many. */
static unsigned class_of(class_list *list, link_class wanted) {
    unsigned i = 0;
    while (i < list->count &&
           (list->item[i].rate != wanted.rate || list->item[i].endpoint != wanted.endpoint))
        i++;
    if (i == list->count && i < SHIFT_CLASSES_MAX) list->item[list->count++] = wanted;
    return i;
}

/* of: NULL: only counts. False: there are too many. */
static bool find_classes(const check_pass *p, class_list *list) {
    for (uint64_t l = 0; l < p->net->links; l++) {
        unsigned c = class_of(list, (link_class){check_rate(p, l), p->of_endpoint[l]});
        if (c == SHIFT_CLASSES_MAX) return false;
        if (list->of) list->of[l] = (uint8_t)c;
    }
    return true;
}

bool check_trees_fit(const check_pass *p) {
    class_list list = {.of = NULL};
    return address_tree_fits(p->routing) && find_classes(p, &list);
}

static outcome outcome_of(const check_pass *p, const class_list *list, const shift_loads *loads, uint64_t k) {
    outcome o = {0};
    for (unsigned c = 0; c < list->count; c++) {
        double load = loads->max[c * p->net->endpoints + k];
        outcome_add(&o, load, list->item[c].rate);
        if (list->item[c].endpoint) outcome_add_ideal(p, &o, load);
    }
    return o;
}

static void take_loads(check_pass *p, const class_list *list, const shift_loads *loads) {
    for (uint64_t l = 0; l < p->net->links; l++) p->result->load[l] = (double)loads->total[l];
    for (uint64_t k = 1; k < p->net->endpoints; k++) p->shift[k] = outcome_of(p, list, loads, k);
    check_take_pairs(p, &loads->pairs);
}

/* What the search of the shifts calls back. */
typedef struct callbacks {
    const check_pass *pass;
    permutation_loads random;
} callbacks;

static void add_permutations(void *context, unsigned worker, address_tree *tree, uint32_t target) {
    callbacks *c = context;
    permutation_loads_add(&c->random, worker, tree, target);
}

static void show_progress(void *context, double share) {
    const check_pass *p = ((const callbacks *)context)->pass;
    if (p->options->progress) p->options->progress(p->options->progress_context, share * p->part);
}

bough_status check_trees_follow(check_pass *p, bough_error *error) {
    class_list list = {.of = NULL};
    shift_loads loads = {0};
    callbacks calls = {.pass = p};
    bough_status status = bough_alloc(&list.of, p->net->links, sizeof *list.of, error);
    if (!status && p->found) status = permutation_loads_make(p, 0, (unsigned)p->found, &calls.random, error);
    if (!status) find_classes(p, &list);
    shift_question question = {.routing = p->routing,
                               .class_of = list.of,
                               .classes = list.count,
                               .threads = p->options->threads,
                               .stop = p->options->stop,
                               .progress = show_progress,
                               .visit = p->found ? add_permutations : NULL,
                               .context = &calls};
    TRY(shift_loads_find(&question, &loads, error));
    if (!status) {
        take_loads(p, &list, &loads);
        if (p->found) permutation_loads_settle(&calls.random, p->random);
    }
    shift_loads_fini(&loads);
    permutation_loads_fini(&calls.random);
    free(list.of);
    return status;
}
