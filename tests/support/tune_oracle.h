/* The best tables of a tiny network, by trying all of them: every combination of shortest next links of every
 * switch towards every endpoint. Counts flows pair by pair, with nothing of src/fabric/tune. */
#ifndef SUPPORT_TUNE_ORACLE_H
#define SUPPORT_TUNE_ORACLE_H

#include "network/net.h"

/* The least of each over all tables; loads are relative to rates, links of endpoints included. */
typedef struct tune_oracle {
    double alltoall, shifts, worst_shift;
    uint64_t tables;
} tune_oracle;

/* At most `limit` tables; ends the test if there are more, or nothing fits. */
tune_oracle tune_oracle_best(const bough_net *net, uint64_t limit);

#endif
