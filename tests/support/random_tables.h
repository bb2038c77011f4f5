/* Routings whose next link depends on node and address only, at random: minimal routes, of which some entries
 * are missing and some lead anywhere, so that there are loops and wrong adapters. */
#ifndef TESTS_SUPPORT_RANDOM_TABLES_H
#define TESTS_SUPPORT_RANDOM_TABLES_H

#include "routing/routing.h"

/* Calls agrees for such tables on networks of all kinds, whole and with faults: all minimal; with missing
 * entries; with wild ones; with both; all wild. */
void random_tables_each(void (*agrees)(const bough_routing *routing));

#endif
