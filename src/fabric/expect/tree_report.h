#ifndef BOUGH_FABRIC_EXPECT_TREE_REPORT_H
#define BOUGH_FABRIC_EXPECT_TREE_REPORT_H

#include "fabric/expect/expect.h"
#include "fabric/expect/tree_cables.h"

/* Adds the odd cables as deviations: two and two that have exchanged ends as swapped, a missing one and an
 * extra one with a common switch as moved, and the others alone. planned: the tree is that of a spec, not the
 * nearest one. */
bough_status tree_report_cables(const tree *t, odd_cables *odd, bool planned, bough_expected *expected,
                                bough_error *error);

#endif
