/* Training steps, read from files (formats/workloads/training_step.h) or made from a model (model.h), and
 * their expansion to a schedule. */
#ifndef BOUGH_TRAFFIC_TRAINING_TRAINING_H
#define BOUGH_TRAFFIC_TRAINING_TRAINING_H

#include "formats/workloads/training_step.h"
#include "traffic/collectives/collective.h"
#include "traffic/traffic.h"

typedef struct training_options {
    const char *algorithm;              /* of allreduce: "ring", ...; selects matching ones for the others */
    uint64_t reduce_ps;                 /* time to add one byte to another */
    uint32_t steps;                     /* consecutive steps */
    uint32_t gpus, nics;                /* of a node; 0: one */
    const struct collective_seat *seat; /* [ranks]; NULL: consecutive ranks are on a node */
} training_options;

/* Creates the schedule. Errors: INVALID with the line of the file, TOO_LARGE, NO_MEMORY. */
bough_status training_schedule(const training *t, const training_options *options, bough_schedule **schedule,
                               bough_error *error);

uint32_t training_group_size(const training *t, unsigned group);

extern const bough_traffic_kind bough_traffic_aicb, bough_traffic_simai, bough_traffic_train;

#endif
