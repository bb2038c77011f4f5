/* Routes of a network with faults whose groups have no scopes: a list of links for each switch and class of
 * addresses. Where every endpoint hangs on one cable, the addresses behind one switch are a class, and their
 * last link stands apart; else every address is one. */
#ifndef BOUGH_NETWORK_FAULTS_FAULTY_ROUTES_H
#define BOUGH_NETWORK_FAULTS_FAULTY_ROUTES_H

#include "bough/net.h"

typedef struct ways_list {
    uint32_t first, count; /* in pool */
} ways_list;

typedef struct ways {
    uint64_t classes, first_row, rows; /* row r is node first_row + r */
    bool hanging;                      /* endpoints hang on one cable each */
    uint32_t *class_of, *last;         /* per address: its class; its last link, where endpoints hang */
    uint32_t *target;                  /* per class: the node where it is */
    uint32_t *which;                   /* [row * classes + class]: a list; 0: no way on */
    ways_list *list;                   /* 0: empty */
    uint32_t *pool;
    uint64_t *arrives; /* bit [row * classes + class]: some way from there gets to the target */
    uint64_t lists, pooled;
    unsigned hops_max; /* of ways found anew */
    bool ranks_ascend; /* along them, by the ranks that the network gives */
    size_t list_capacity, pool_capacity;
} ways;

/* dead: known; cut: heads do not pass (dead, or lost). anew: all shortest ways over what is not dead; else
 * the network's routes without dead links. Errors: TOO_LARGE, NO_MEMORY. */
bough_status ways_find(const bough_net *net, const uint64_t *dead, const uint64_t *cut, bool anew, ways *ways,
                       bough_error *error);
void ways_fini(ways *ways);
uint64_t ways_bytes(const ways *ways, const bough_net *net);

/* anew: endpoints do not send where no way is known. */
void ways_route(const ways *ways, const bough_net *net, const uint64_t *dead, bool anew, uint64_t node,
                uint64_t address, bough_route *route);
/* The same as ops->reaches. */
bool ways_reach(const ways *ways, const bough_net *net, const uint64_t *cut, uint64_t endpoint,
                uint64_t address);

#endif
