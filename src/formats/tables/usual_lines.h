/* The lines that make up nearly all of large table files, found ahead of the reader and on any thread. Such a
 * line of an opensm-lfts.dump or of ibroute has nothing to report; all it says is LID and port. */
#ifndef BOUGH_FORMATS_TABLES_USUAL_LINES_H
#define BOUGH_FORMATS_TABLES_USUAL_LINES_H

#include "base/text/scanner.h"
#include "formats/fabrics/fabric.h"

/* Lines of consecutive LIDs, one after the other. */
typedef struct usual_run {
    const char *start, *end;
    uint32_t lid, lines;
    size_t port; /* index of the first port */
} usual_run;

/* Those of a part of a file. Zero-initialise; reused from part to part. */
typedef struct usual_lines {
    usual_run *run;
    size_t runs, run_room;
    uint8_t *port;
    size_t ports, port_room;
    bool zero; /* there is a NUL byte in the other lines */
} usual_lines;

/* What one thread knows: the usual line of a LID, which most tables repeat but for the port. */
typedef struct usual_memory usual_memory;

/* owner: by LID, the GUID of its adapter port; 0: unknown, 1: a switch. Borrowed. */
bough_status usual_memory_create(const uint64_t *owner, usual_memory **out, bough_error *error);

/* data: whole lines. Without memory for more runs, the lines of the rest are not usual. */
void usual_lines_find(usual_memory *memory, const char *data, size_t size, usual_lines *found);
void usual_lines_fini(usual_lines *found);

/* Whether the text behind the port of an entry gives another GUID than `owner`; *guid: that GUID. */
bool entry_has_other_guid(uint64_t owner, scanner *scan, uint64_t *guid);

#endif
