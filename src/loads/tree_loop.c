#include "loads/tree_loop.h"

#include "base/memory/memory.h"
#include "base/status/stop.h"
#include "base/status/try.h"
#include "base/thread_team.h"

#include <stdlib.h>

typedef struct tree_walk {
    const tree_loop *loop;
    address_tree *tree; /* [threads] */
} tree_walk;

static bough_status visit_grain(void *context, unsigned thread, uint64_t grain, bough_error *error) {
    const tree_walk *w = context;
    const tree_loop *l = w->loop;
    const bough_net *net = l->routing->net;
    const uint64_t first = grain * l->grain;
    address_tree *tree = &w->tree[thread];
    bough_status status = stop_check(l->stop, error);
    for (uint64_t d = first; d < first + l->grain && d < net->endpoints && !status; d++) {
        address_tree_start(tree, bough_endpoint_address(net, d));
        status = l->visit(l->context, thread, tree, (uint32_t)d, error);
    }
    return status;
}

bough_status tree_loop_run(const tree_loop *l, bough_error *error) {
    const unsigned threads = l->threads ? l->threads : 1;
    tree_walk w = {.loop = l};
    const uint64_t grains = (l->routing->net->endpoints + l->grain - 1) / l->grain;
    bough_status status = bough_alloc(&w.tree, threads, sizeof *w.tree, error);
    for (unsigned i = 0; i < threads && !status; i++)
        status = i ? address_tree_make_like(&w.tree[i], &w.tree[0], error)
                   : address_tree_make(&w.tree[0], l->routing, error);
    TRY(team_try(threads, grains, visit_grain, &w, error));
    for (unsigned i = 0; w.tree && i < threads; i++) address_tree_fini(&w.tree[i]);
    free(w.tree);
    return status;
}
