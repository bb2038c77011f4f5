#include "fabric/placement/placement_hosts.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "formats/slurm/host_map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* While the lists are read. */
typedef struct listing {
    placement_hosts *hosts;
    host_map names;
    bool *used; /* [hosts]: busy, or asked for */
    bough_error *error;
} listing;

/* ---- the order of leaves ---- */

/* Ranks of switches so that those below one switch are together: parents have larger numbers than children,
 * so ranks are given from the last one down. next: where the hosts below a switch end that have no rank yet.
 */
static bough_status rank_leaves(const switch_tree *t, uint32_t *rank, bough_error *error) {
    uint32_t *next = NULL;
    uint32_t roots = t->hosts;
    bough_status status = bough_alloc(&next, t->count, sizeof *next, error);
    for (size_t i = t->count; i-- > 0 && !status;) {
        const tree_switch *s = &t->item[i];
        uint32_t *from = s->parent == BOUGH_NO_INDEX ? &roots : &next[s->parent];
        next[i] = *from;
        *from -= s->hosts;
        rank[i] = *from;
    }
    free(next);
    return status;
}

typedef struct ranked_host {
    uint32_t rank, host;
    const char *name;
} ranked_host;

static int by_rank(const void *a, const void *b) {
    const ranked_host *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return host_name_compare(x->name, y->name);
}

static bough_status list_free(placement_hosts *h, const bool *busy, bough_error *error) {
    const switch_tree *t = &h->tree;
    uint32_t *rank = NULL;
    ranked_host *list = NULL;
    const bough_array array[] = {{&rank, t->count, sizeof *rank},
                                 {&list, t->hosts, sizeof *list},
                                 {&h->free, t->hosts, sizeof *h->free}};
    bough_status status = bough_alloc_all(array, 3, error);
    TRY(rank_leaves(t, rank, error));
    for (uint32_t i = 0; i < t->hosts && !status; i++)
        if (!busy[i] && t->host_leaf[i] != BOUGH_NO_INDEX)
            list[h->frees++] = (ranked_host){rank[t->host_leaf[i]], i, t->host[i]};
    if (h->frees) qsort(list, h->frees, sizeof *list, by_rank);
    for (uint32_t i = 0; i < h->frees; i++) h->free[i] = list[i].host;
    FREE_ALL(rank, list);
    return status;
}

/* ---- hostlists ---- */

static bough_status find_host(const listing *l, const char *option, const char *name, uint32_t *host) {
    *host = host_map_get(&l->names, name, strlen(name));
    if (*host == BOUGH_NO_INDEX)
        return bough_fail(l->error, BOUGH_INVALID, option, "the fabric has no host '%s'", name);
    return BOUGH_OK;
}

static bough_status read_busy(listing *l, const char *text) {
    host_list list = {.count = 0};
    uint32_t host;
    bough_status status = host_list_expand(&list, "--busy", (bough_slice){text, strlen(text)}, l->error);
    for (size_t i = 0; i < list.count && !status; i++) {
        status = find_host(l, "--busy", list.name[i], &host);
        if (!status) l->used[host] = true;
    }
    arena_fini(&list.memory);
    return status;
}

static bough_status read_asked(listing *l, const char *text) {
    placement_hosts *h = l->hosts;
    host_list list = {.count = 0};
    bough_status status = host_list_expand(&list, "--place", (bough_slice){text, strlen(text)}, l->error);
    TRY(bough_alloc(&h->asked, list.count, sizeof *h->asked, l->error));
    for (size_t i = 0; i < list.count && !status; i++) {
        const char *name = list.name[i];
        uint32_t host;
        status = find_host(l, "--place", name, &host);
        if (!status && l->used[host])
            status = bough_fail(l->error, BOUGH_INVALID, "--place", "%s is busy, or listed twice", name);
        if (!status && h->tree.host_leaf[host] == BOUGH_NO_INDEX)
            status = bough_fail(l->error, BOUGH_INVALID, "--place", "%s has no cable to a switch", name);
        if (!status) l->used[host] = true, h->asked[h->askeds++] = host;
    }
    arena_fini(&list.memory);
    return status;
}

/* A number of hosts; false if the text is none. */
static bool is_number(const char *text) {
    return *text && strlen(text) < 10 && strspn(text, "0123456789") == strlen(text);
}

static bough_status read_lists(listing *l, const char *place, const char *busy) {
    placement_hosts *h = l->hosts;
    bough_status status = bough_alloc(&l->used, h->tree.hosts, sizeof *l->used, l->error);
    for (uint32_t i = 0; i < h->tree.hosts && !status; i++)
        status = host_map_add(&l->names, h->tree.host[i], strlen(h->tree.host[i]), i, l->error);
    if (busy) TRY(read_busy(l, busy));
    TRY(list_free(h, l->used ? l->used : &(bool){false}, l->error));
    if (!status && is_number(place))
        h->askeds = (uint32_t)strtoul(place, NULL, 10);
    else
        TRY(read_asked(l, place));
    if (!status && h->askeds == 0)
        status = bough_fail(l->error, BOUGH_INVALID, "--place", "a job has at least one host");
    if (!status && h->askeds > h->frees)
        status = bough_fail(l->error, BOUGH_INVALID, "--place",
                            "%" PRIu32 " hosts are wanted, and %" PRIu32 " of %" PRIu32 " are free",
                            h->askeds, h->frees, h->tree.hosts);
    return status;
}

bough_status placement_hosts_make(const bough_net *net, const char *place, const char *busy,
                                  placement_hosts *h, bough_error *error) {
    *h = (placement_hosts){.frees = 0};
    listing l = {.hosts = h, .error = error};
    bough_status status = switch_tree_make(net, &h->tree, error);
    TRY(net_hosts_make(net, &h->machines, error));
    TRY(read_lists(&l, place, busy));
    host_map_fini(&l.names);
    free(l.used);
    return status;
}

void placement_hosts_fini(placement_hosts *h) {
    arena_fini(&h->tree.memory);
    net_hosts_fini(&h->machines);
    FREE_ALL(h->free, h->asked);
    *h = (placement_hosts){.frees = 0};
}
