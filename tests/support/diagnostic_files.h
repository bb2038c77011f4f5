/* Writes a fabric as the diagnostic tools do, and compares fabrics that came from different tools. Heap
 * strings. */
#ifndef TESTS_SUPPORT_DIAGNOSTIC_FILES_H
#define TESTS_SUPPORT_DIAGNOSTIC_FILES_H

#include "formats/fabrics/fabric.h"

/* opensm-subnet.lst and ibdiagnet2.lst: cables of both directions, or of one. */
char *write_subnet_list(const bough_fabric *fabric, bool both);
/* iblinkinfo; lines: iblinkinfo --line. */
char *write_link_info(const bough_fabric *fabric, bool lines);
/* ibdiagnet2.db_csv. other: columns and sections in another order, and more of them. */
char *write_db_csv(const bough_fabric *fabric, bool other);

/* The cables of a fabric, sorted: ends by GUID (switches) or LID (adapters), port numbers, descriptions, and
 * rate. */
char *cables_of(const bough_fabric *fabric);
/* The nodes that have cables, sorted: kind, GUID, name, description, LID and number of ports. */
char *nodes_of(const bough_fabric *fabric);

#endif
