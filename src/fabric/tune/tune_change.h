/* What differs between the tables of a fabric and new ones, and an order in which switches take the new
 * ones. */
#ifndef BOUGH_FABRIC_TUNE_TUNE_CHANGE_H
#define BOUGH_FABRIC_TUNE_TUNE_CHANGE_H

#include "fabric/tune/tune.h"
#include "fabric/tune/tune_tables.h"

/* old: the spec of a routing that is a table. Errors: those of bough_routing_create; NO_MEMORY. */
bough_status tune_change_find(const tune_tables *tables, const char *old, bough_tune_change *change,
                              bough_error *error);
/* The same for tables (for tests). */
bough_status tune_change_between(const tune_tables *old, const tune_tables *fresh, bough_tune_change *change,
                                 bough_error *error);

#endif
