/* Output of perfquery, one block after another:
 *
 *   # Port extended counters: Lid 2052 port 1 (CapMask: 0x5300 CapMask2: 0x0000002)
 *   PortSelect:......................1
 *   PortXmitData:....................178791657177235
 *
 * Data are words of 4 bytes. Blocks of all ports (255) and of details are skipped. */
#include "base/status/try.h"
#include "network/files/counters/port_readings.h"

#include <inttypes.h>

enum { ALL_PORTS = 255 };

typedef struct block {
    bool known;    /* PortCounters of one port; else it is skipped */
    bool extended; /* 64 bits */
    uint32_t lid, port;
} block;

static bough_status read_head(bough_scan *scan, block *b, bough_error *error) {
    uint64_t lid = 0, port = 0;
    *b = (block){.extended = bough_scan_text(scan, "# Port extended counters:")};
    if (!b->extended && !bough_scan_text(scan, "# Port counters:")) return BOUGH_OK;
    bough_scan_blanks(scan);
    if (!bough_scan_text(scan, "Lid ") || !bough_scan_number(scan, &lid) || !bough_scan_blanks(scan) ||
        !bough_scan_text(scan, "port ") || !bough_scan_number(scan, &port))
        return bough_scan_fail(scan, error,
                               "expected \"Lid NUMBER port NUMBER\"; counters that were asked for by a "
                               "directed route do not name their port");
    if (lid < 1 || lid > BOUGH_LID_MAX)
        return bough_scan_fail(scan, error, "LID %" PRIu64 " is no unicast LID; those are 1 to %d", lid,
                               BOUGH_LID_MAX);
    if (port > ALL_PORTS)
        return bough_scan_fail(scan, error, "port %" PRIu64 " is too large; ports end at %d", port,
                               BOUGH_PORT_MAX);
    b->known = port != ALL_PORTS;
    b->lid = (uint32_t)lid;
    b->port = (uint32_t)port;
    return BOUGH_OK;
}

/* NAME:.....VALUE; other lines are skipped. */
static bough_status read_value(bough_scan *scan, const port_reading *port, port_readings *readings,
                               bough_error *error) {
    const char *colon = memchr(scan->at, ':', (size_t)(scan->stop - scan->at));
    if (!colon) return BOUGH_OK;
    port_reading r = *port;
    r.counter = port_counter_of((bough_slice){scan->at, (size_t)(colon - scan->at)});
    if (r.counter == BOUGH_COUNTERS) return BOUGH_OK;
    scan->at = colon + 1;
    while (scan->at < scan->stop && *scan->at == '.') scan->at++;
    bough_scan_blanks(scan);
    if (!bough_scan_number(scan, &r.value) || !bough_scan_done(scan))
        return bough_scan_fail(scan, error, "%s: expected a whole number", bough_counter_name(r.counter));
    r.line = scan->line;
    return port_readings_add(readings, &r, error);
}

bough_status perfquery_read(bough_scan *scan, uint32_t piece, port_readings *readings, bough_error *error) {
    block b = {.known = false};
    bough_status status = BOUGH_OK;
    while (!status && bough_scan_line(scan)) {
        if (bough_scan_starts(scan, "#")) {
            status = read_head(scan, &b, error);
            readings->any = true;
        } else if (b.known && !bough_scan_complaint(scan)) {
            const port_reading port = {.lid = b.lid, .port = b.port, .piece = piece, .wide = b.extended};
            status = read_value(scan, &port, readings, error);
        }
    }
    return status;
}
