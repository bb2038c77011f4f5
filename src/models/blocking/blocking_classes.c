/* Finding the stages of a network: classes of groups. */
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "models/blocking/blocking_stages.h"

#include <stdlib.h>
#include <string.h>

enum { CLASSES_MAX = 1 << 16, SLOTS = 4 * CLASSES_MAX };

static int by_rank(const void *a, const void *b) {
    const blocking_class *x = a, *y = b;
    const uint32_t p[] = {x->rank, x->from_level, x->to_level, x->links, x->source},
                   q[] = {y->rank, y->from_level, y->to_level, y->links, y->source};
    for (int i = 0; i < 5; i++)
        if (p[i] != q[i]) return p[i] < q[i] ? -1 : 1;
    return 0;
}

/* slot: a hash table of 1 + index. */
static bough_status find_class(blocking_search *f, uint32_t *slots, const blocking_class *like,
                               uint32_t *found) {
    blocking_net *b = f->b;
    uint64_t h = blocking_mix(blocking_mix((uint64_t)like->rank << 32 | like->from_level) ^
                              ((uint64_t)like->to_level << 32 | like->links));
    for (;; h++) {
        uint32_t *slot = &slots[h % SLOTS];
        if (*slot && by_rank(&b->class[*slot - 1], like) != 0) continue;
        if (!*slot) {
            if (b->classes == CLASSES_MAX)
                return bough_fail(
                    f->error, BOUGH_UNSUPPORTED, NULL,
                    "blocking: more than 2^16 classes of groups in %s; the model needs networks of stages",
                    f->net->spec);
            bough_status status =
                bough_grow(&b->class, &b->class_capacity, b->classes + 1, sizeof *b->class, f->error);
            if (status) return status;
            b->class[b->classes] = *like;
            *slot = ++b->classes;
        }
        *found = *slot - 1;
        return BOUGH_OK;
    }
}

static bough_status sort_in(blocking_search *f, uint32_t *slots, uint64_t node, uint64_t group) {
    const bough_net *net = f->net;
    bough_range links = net->ops->group_links(net, group);
    uint32_t alive = 0, found = 0;
    for (uint64_t l = links.first; l < links.first + links.count; l++) alive += bough_link_alive(net, l);
    uint64_t to = net->ops->link_end(net, links.first).node;
    blocking_class like = {.rank = net->ops->group_order(net, group),
                           .from_level = net->ops->node_level(net, node),
                           .to_level = net->ops->node_level(net, to),
                           .links = alive,
                           .source = node < net->endpoints};
    bough_status status = find_class(f, slots, &like, &found);
    if (status) return status;
    f->group_class[group] = found;
    f->b->class[found].groups++;
    return BOUGH_OK;
}

/* By group order, so that all inputs of a class are solved before it. */
static bough_status sort_classes(blocking_search *f) {
    blocking_net *b = f->b;
    uint32_t *moved;
    blocking_class *old = NULL;
    bough_status status = bough_alloc(&moved, b->classes, sizeof *moved, f->error);
    TRY(bough_alloc(&old, b->classes, sizeof *old, f->error));
    if (!status) {
        memcpy(old, b->class, b->classes * sizeof *old);
        qsort(b->class, b->classes, sizeof *b->class, by_rank);
        for (uint32_t i = 0; i < b->classes; i++) {
            const blocking_class *at = bsearch(&old[i], b->class, b->classes, sizeof *at, by_rank);
            moved[i] = (uint32_t)(at - b->class);
        }
        for (uint64_t g = 0; g < f->net->groups; g++) f->group_class[g] = moved[f->group_class[g]];
    }
    FREE_ALL(old, moved);
    return status;
}

static bough_status find_classes(blocking_search *f) {
    const bough_net *net = f->net;
    uint32_t *slots;
    bough_status status = bough_alloc(&slots, SLOTS, sizeof *slots, f->error);
    for (uint64_t v = 0; v < net->nodes && !status; v++) {
        uint32_t count = net->ops->node_group_count(net, v);
        for (uint32_t i = 0; i < count && !status; i++)
            status = sort_in(f, slots, v, net->ops->node_group(net, v, i));
    }
    free(slots);
    return status ? status : sort_classes(f);
}

bough_status blocking_find_stages(const bough_point *point, blocking_net *b, bough_error *error) {
    const bough_net *net = point->net;
    blocking_search f = {.net = net, .routing = point->routing, .b = b, .error = error};
    *b = (blocking_net){.net = net};
    bough_status status = bough_alloc(&f.group_class, net->groups, sizeof *f.group_class, error);
    TRY(find_classes(&f));
    TRY(blocking_find_inputs(&f));
    TRY(blocking_find_paths(&f, point->traffic->batch_law));
    free(f.group_class);
    if (status) blocking_fini(b);
    return status;
}

void blocking_fini(blocking_net *b) {
    for (uint32_t i = 0; i < b->kinds; i++) free(b->kind[i].bundle);
    for (uint32_t i = 0; i < b->paths; i++) FREE_ALL(b->path[i].class, b->path[i].meets);
    FREE_ALL(b->class, b->kind, b->turn, b->path);
    *b = (blocking_net){0};
}
