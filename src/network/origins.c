#include "network/origins.h"

#include "base/memory/memory.h"

#include <stdlib.h>

static uint32_t origin_node(const bough_net *net, uint32_t endpoint) {
    const uint64_t link = bough_is_switch(net, endpoint) ? BOUGH_NONE : bough_only_link(net, endpoint);
    if (link == BOUGH_NONE || !bough_link_works(net, link)) return endpoint;
    const uint64_t node = net->ops->link_end(net, link).node;
    return bough_is_switch(net, node) ? (uint32_t)node : endpoint;
}

/* Numbers the origins, and counts their endpoints and runs. */
static void number_origins(const bough_net *net, origin_list *o) {
    for (uint32_t e = 0; e < o->endpoints; e++) {
        uint32_t node = origin_node(net, e);
        if (!o->at[node]) {
            o->node[o->count] = node;
            o->at[node] = ++o->count;
        }
        o->of[e] = o->at[node] - 1;
        bool begins = e == 0 || o->of[e - 1] != o->of[e];
        o->run[o->of[e] + 1] += begins;
        o->size[o->of[e]]++;
    }
    for (uint32_t i = 0; i < o->count; i++) o->run[i + 1] += o->run[i];
}

/* filled: [count], zeroed; runs of an origin that were found */
static void fill_runs(origin_list *o, uint32_t *filled) {
    for (uint32_t e = 0; e < o->endpoints; e++) {
        uint32_t i = o->of[e];
        if (e == 0 || o->of[e - 1] != i) o->runs[o->run[i] + filled[i]++].first = e;
        o->runs[o->run[i] + filled[i] - 1].end = e + 1;
    }
    for (uint32_t i = o->count; i-- > 0;) {
        bool one = o->run[i + 1] - o->run[i] == 1, adjoins = one && i + 1 < o->count;
        adjoins = adjoins && o->run[i + 2] - o->run[i + 1] == 1 &&
                  o->runs[o->run[i + 1]].first == o->runs[o->run[i]].end;
        o->joined[i] = adjoins ? o->joined[i + 1] : i;
    }
}

bough_status origin_list_make(const bough_net *net, origin_list *o, bough_error *error) {
    uint64_t n = net->endpoints;
    uint32_t *filled = NULL;
    *o = (origin_list){.net = net, .endpoints = (uint32_t)n};
    const bough_array arrays[] = {
        {&o->node, n, sizeof *o->node},      {&o->run, n + 1, sizeof *o->run},
        {&o->runs, n, sizeof *o->runs},      {&o->size, n, sizeof *o->size},
        {&o->joined, n, sizeof *o->joined},  {&o->of, n, sizeof *o->of},
        {&o->at, net->nodes, sizeof *o->at}, {&filled, n, sizeof *filled},
    };
    bough_status status = bough_alloc_all(arrays, sizeof arrays / sizeof *arrays, error);
    if (!status) {
        number_origins(net, o);
        fill_runs(o, filled);
    }
    free(filled);
    if (status) origin_list_fini(o);
    return status;
}

void origin_list_fini(origin_list *o) {
    FREE_ALL(o->node, o->run, o->runs, o->size, o->joined, o->of, o->at);
    *o = (origin_list){0};
}
