/* bough plan --packaging transit: which stacks of routers can be built (fabric/plan/stack_plan.h). */
#ifndef BOUGH_CLI_PLAN_STACKS_H
#define BOUGH_CLI_PLAN_STACKS_H

#include "cli/cli.h"

/* Prints the designs. The exit status. */
int plan_stacks(const cli_args *args);

#endif
