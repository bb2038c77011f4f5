#ifndef BOUGH_FABRIC_CHECK_CHECK_VERDICT_H
#define BOUGH_FABRIC_CHECK_CHECK_VERDICT_H

#include "fabric/check/check.h"

/* Fills the verdict of a part whose result and worst permutation are known. */
void check_verdict_find(const bough_net *net, bough_routing_report *part);

#endif
