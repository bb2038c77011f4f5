/* Output of perfquery, one block after another:
 *
 *   # Port extended counters: Lid 2052 port 1 (CapMask: 0x5300 CapMask2: 0x0000002)
 *   PortSelect:......................1
 *   PortXmitData:....................178791657177235
 *
 * Data are words of 4 bytes. Blocks of all ports (255) and of details are skipped. */
#include "base/status/try.h"
#include "formats/counters/port_readings.h"

#include <inttypes.h>

enum { ALL_PORTS = 255 };

typedef struct block {
    bool known;    /* PortCounters of one port; else it is skipped */
    bool extended; /* 64 bits */
    uint32_t lid, port;
} block;

static bough_status read_head(scanner *scan, block *b) {
    uint64_t lid = 0, port = 0;
    *b = (block){.extended = scan_text(scan, "# Port extended counters:")};
    if (!b->extended && !scan_text(scan, "# Port counters:")) return BOUGH_OK;
    scan_blanks(scan);
    if (!scan_text(scan, "Lid ") || !scan_number(scan, &lid) || !scan_blanks(scan) ||
        !scan_text(scan, "port ") || !scan_number(scan, &port))
        return scan_fail(scan, "expected \"Lid NUMBER port NUMBER\"; counters that were asked for by a "
                               "directed route do not name their port");
    if (lid < 1 || lid > BOUGH_LID_MAX)
        return scan_fail(scan, "LID %" PRIu64 " is no unicast LID; those are 1 to %d", lid, BOUGH_LID_MAX);
    if (port > ALL_PORTS)
        return scan_fail(scan, "port %" PRIu64 " is too large; ports end at %d", port, BOUGH_PORT_MAX);
    b->known = port != ALL_PORTS;
    b->lid = (uint32_t)lid;
    b->port = (uint32_t)port;
    return BOUGH_OK;
}

/* NAME:.....VALUE; other lines are skipped. */
static bough_status read_value(scanner *scan, port_reading r, port_readings *readings) {
    const char *colon = memchr(scan->at, ':', (size_t)(scan->stop - scan->at));
    if (!colon) return BOUGH_OK;
    r.counter = port_counter_of((bough_slice){scan->at, (size_t)(colon - scan->at)});
    if (r.counter == BOUGH_COUNTERS) return BOUGH_OK;
    scan->at = colon + 1;
    while (scan->at < scan->stop && *scan->at == '.') scan->at++;
    scan_blanks(scan);
    if (!scan_number(scan, &r.value) || !scan_done(scan))
        return scan_fail(scan, "%s: expected a whole number", bough_counter_name(r.counter));
    return port_readings_add(readings, scan, r);
}

bough_status perfquery_read(scanner *scan, port_readings *readings) {
    block b = {.known = false};
    bough_status status = BOUGH_OK;
    while (!status && scan_line(scan)) {
        if (scan_starts(scan, "#")) {
            status = read_head(scan, &b);
            readings->any = true;
        } else if (b.known) {
            status =
                read_value(scan, (port_reading){.lid = b.lid, .port = b.port, .wide = b.extended}, readings);
        }
    }
    return status;
}
