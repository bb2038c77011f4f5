/* The counters of a file, by the ports of a fabric. */
#ifndef BOUGH_FABRIC_COUNTERS_COUNTER_PORTS_H
#define BOUGH_FABRIC_COUNTERS_COUNTER_PORTS_H

#include "fabric/counters/counters.h"
#include "formats/fabrics/fabric.h"

/* Bits are those of bough_counter. */
typedef struct counted_port {
    uint64_t value[BOUGH_COUNTERS];
    uint32_t line[BOUGH_COUNTERS]; /* 0: none of its own */
    uint32_t known;
    uint32_t wide;  /* 64 bits; else it stops at its maximum */
    uint32_t bytes; /* data in bytes; else in words of 4 bytes */
    uint32_t host;  /* the host and not a GUID or LID named the port */
} counted_port;

/* Zero-initialise. */
typedef struct counter_ports {
    counted_port *port;  /* [fabric->port_count] */
    uint64_t skipped;    /* lines of the files that are not counters */
    double time;         /* s since 1970; NAN: not known */
    uint64_t unknown;    /* ports of nodes that the fabric does not have */
    char *unknown_first; /* heap; NULL: there is none */
} counter_ports;

/* Reads the files of a path. The caller calls counter_ports_fini, also after an error. Errors: those of
 * port_readings_read; INVALID for a counter of a port that is given twice. */
bough_status counter_ports_read(const bough_fabric *fabric, const char *path, counter_ports *ports,
                                bough_error *error);
void counter_ports_fini(counter_ports *ports);

/* ---- between two files ---- */

/* What happened to a counter of a port between two files; before NULL: since it was cleared. *value: by how
 * much it rose, data in bytes; below RESET and SATURATED a lower bound. */
bough_link_count counter_rise(const counted_port *before, const counted_port *after, bough_counter counter,
                              double *value);

#endif
