/* Port counters as files have them: output of perfquery and ibqueryerrors, the section PM_INFO of
 * ibdiagnet2.db_csv, and the text that exporters write for Prometheus. */
#ifndef BOUGH_FORMATS_COUNTERS_PORT_READINGS_H
#define BOUGH_FORMATS_COUNTERS_PORT_READINGS_H

#include "base/files/input.h"
#include "formats/counters/port_counters.h"
#include "formats/fabrics/infiniband/infiniband_lines.h"

/* One counter of one port. The port is that of a GUID, of a LID, or of the adapter of a host. */
typedef struct port_reading {
    uint64_t guid;            /* of a node, or of the port; 0: none */
    uint32_t lid;             /* 0: none */
    bough_slice host, device; /* "node001", "mlx5_0"; length 0: none. They point into the input */
    uint32_t port, line;
    uint32_t piece;  /* of the input, for messages */
    uint8_t counter; /* bough_counter */
    bool wide;       /* 64 bits; else it stops at the maximum of its bits */
    bool bytes;      /* data in bytes; else in words of 4 bytes */
    uint64_t value;
} port_reading;

/* Zero-initialise. */
typedef struct port_readings {
    bough_input input;
    port_reading *item; /* [count] */
    size_t count, capacity;
    uint32_t piece;    /* that is read */
    uint64_t skipped;  /* lines that are no part of the data (base/text/terminal_text.h) */
    double time;       /* s since 1970 in UTC; NAN: the files do not say */
    bool errors_above; /* error counters of 0 are left out */
    bool any;          /* there is a file of counters, perhaps without one */
} port_readings;

/* Reads a file, or those of a directory or an archive that have counters; other files are left out. The
 * caller calls port_readings_fini, also after an error. Errors: INVALID with file and line, and for no
 * counters; those of bough_input_read. */
bough_status port_readings_read(const char *path, port_readings *readings, bough_error *error);
void port_readings_fini(port_readings *readings);

/* ---- for the readers of the formats ---- */

/* Adds a reading with its piece and line, those of the scanner. */
bough_status port_readings_add(port_readings *readings, const scanner *s, port_reading reading);
/* The counter of this name: "PortXmitData"; BOUGH_COUNTERS: none. */
bough_counter port_counter_of(bough_slice name);

/* A format. scan is before the first line of the file. */
typedef bough_status port_reader(scanner *scan, port_readings *readings);
port_reader perfquery_read, query_errors_read, pm_info_read, prometheus_read;

#endif
