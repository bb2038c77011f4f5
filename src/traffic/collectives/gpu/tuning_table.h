/* A table of choices for algo=nccl, as CSV:
 *
 *     collective,nodes_from,nodes_to,bytes_to,algorithm,protocol,channels
 *     allreduce,1,1,64KiB,nccl-tree,ll,
 *     allreduce,1,1,,nvls-tree,simple,
 *
 * The first line that fits is used. Empty: no limit, or one channel per NIC. */
#ifndef BOUGH_TRAFFIC_COLLECTIVES_TUNING_TABLE_H
#define BOUGH_TRAFFIC_COLLECTIVES_TUNING_TABLE_H

#include "traffic/collectives/gpu/nccl_model.h"

typedef struct bough_input bough_input;

/* Adds the rules to tuning, which borrows the name of the input. The caller frees tuning->rule, also after an
 * error. Errors: INVALID with file:line, NO_MEMORY. */
bough_status tuning_table_read(const bough_input *input, collective_tuning *tuning, bough_error *error);

#endif
