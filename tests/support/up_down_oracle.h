/* Up/down routing by the book: which ways are legal, from the definition alone. Small networks of fabrics
 * only. */
#ifndef TESTS_SUPPORT_UP_DOWN_ORACLE_H
#define TESTS_SUPPORT_UP_DOWN_ORACLE_H

#include "routing/routing.h"

typedef struct up_down_oracle {
    const bough_net *net;
    unsigned *rank;     /* per node; UINT_MAX: endpoints, and what no root reaches */
    unsigned *shortest; /* [endpoint * nodes + node]: links of the shortest legal way from an endpoint;
                           UINT_MAX: none */
} up_down_oracle;

/* roots: the names of switches, the last is NULL; NULL: all of the highest level. */
up_down_oracle up_down_oracle_make(const bough_net *net, const char *const *roots);
void up_down_oracle_free(up_down_oracle *o);

/* Whether a link leads up: to a smaller rank, or to a smaller GUID in the same one. */
bool up_down_oracle_up(const up_down_oracle *o, uint64_t link);
/* Whether the path of a flow goes up first and down then. */
bool up_down_oracle_legal(const up_down_oracle *o, const uint64_t *path, int length);

/* Per node the smallest one that live cables connect it with; endpoints have one cable. Heap. */
uint64_t *up_down_oracle_parts(const bough_net *net);

#endif
