/* bough plan --packaging transit: which stacks of routers can be built (fabric/plan/stack_plan.h). */
#ifndef BOUGH_CLI_PLAN_STACKS_H
#define BOUGH_CLI_PLAN_STACKS_H

#include "fabric/plan/stack_plan.h"

/* Prints the designs within the limits, as a table or as JSON. limit: at most so many; 0: 16. */
bough_status plan_stacks(const bough_stack_limits *limits, uint64_t limit, bool json, bough_error *error);

#endif
