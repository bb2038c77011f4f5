/* Routings whose next link depends on node and address only, at random: minimal routes, of which some entries
 * are missing and some lead anywhere, so that there are loops and wrong adapters. */
#ifndef TESTS_SUPPORT_RANDOM_TABLES_H
#define TESTS_SUPPORT_RANDOM_TABLES_H

#include "bough/routing.h"

enum { RANDOM_TABLES = 5 }; /* kinds: all minimal; missing entries; wild ones; both; wild ones only */

/* faults may be NULL. A failure ends the test. One of these is in use at a time. */
bough_routing *random_tables_make(const char *network, const char *faults, size_t kind);
/* With its network. */
void random_tables_free(bough_routing *routing);

#endif
