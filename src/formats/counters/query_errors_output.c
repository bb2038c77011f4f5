/* Output of ibqueryerrors, with --data, --counters, --details or --report-port:
 *
 *   Errors for 0x2c90200400000 "leaf1"
 *      GUID 0x2c90200400000 port ALL: [PortRcvSwitchRelayErrors == 6]
 *      GUID 0x2c90200400000 port 1: [PortRcvSwitchRelayErrors == 6] [PortXmitData == 125208 (489.094KB)]
 *          Link info:      2   1[  ] ==( ..
 *   ## Summary: 24 nodes checked, 1 bad nodes found
 *
 * Data are words of 4 bytes. Counters of 0 are left out, and ports without an error, unless the head is "Data
 * Counters for". The GUID is that of the node or of the port. */
#include "base/status/try.h"
#include "formats/counters/port_readings.h"

#include <inttypes.h>

typedef struct reader {
    scanner *scan;
    port_readings *readings;
    port_reading port;  /* of this line */
    bool data, summary; /* there were "Data Counters for", and a summary, the end of the output */
} reader;

/* [NAME == VALUE (..)] */
static bough_status read_item(scanner *scan, bough_slice *name, uint64_t *value) {
    const char *close = memchr(scan->at, ']', (size_t)(scan->stop - scan->at));
    if (!close || !scan_text(scan, "[") || !scan_word(scan, name) || !scan_blanks(scan) ||
        !scan_text(scan, "== ") || !scan_number(scan, value) || scan->at > close)
        return scan_fail(scan, "expected [NAME == NUMBER] for each counter");
    scan->at = close + 1;
    return BOUGH_OK;
}

static bough_status add(reader *r, bough_counter counter, uint64_t value) {
    port_reading reading = r->port;
    reading.counter = (uint8_t)counter;
    reading.value = value;
    if (counter <= BOUGH_COUNTER_RCV_DATA && value > UINT32_MAX) reading.wide = true;
    return port_readings_add(r->readings, r->scan, reading);
}

/* Ports with counters of unicast packets have the extended counters. */
static void widen(reader *r, size_t first) {
    for (size_t i = first; i < r->readings->count; i++)
        if (r->readings->item[i].counter <= BOUGH_COUNTER_RCV_DATA) r->readings->item[i].wide = true;
}

static bough_status read_items(reader *r) {
    static const char unicast[] = "PortUnicast";
    const size_t first = r->readings->count;
    bool has[BOUGH_COUNTERS + 1] = {false}, extended = false;
    bough_status status = BOUGH_OK;
    while (!status && !scan_done(r->scan)) {
        bough_slice name = {0};
        uint64_t value = 0;
        status = read_item(r->scan, &name, &value);
        if (status) return status;
        const bough_counter counter = port_counter_of(name);
        has[counter] = true;
        extended =
            extended || (name.length > strlen(unicast) && memcmp(name.text, unicast, strlen(unicast)) == 0);
        if (counter != BOUGH_COUNTERS) status = add(r, counter, value);
    }
    /* of two counters of data one that is 0 is left out */
    for (int c = BOUGH_COUNTER_XMIT_DATA; c <= BOUGH_COUNTER_RCV_DATA; c++)
        if (!has[c] && has[BOUGH_COUNTER_RCV_DATA - c]) TRY(add(r, (bough_counter)c, 0));
    if (extended) widen(r, first);
    return status;
}

/* GUID 0x.. port N: .. */
static bough_status read_port(reader *r) {
    scanner *scan = r->scan;
    uint64_t guid = 0, port = 0;
    if (!scan_text(scan, "GUID ") || !scan_text(scan, "0x") || !scan_hex(scan, &guid) || !scan_blanks(scan) ||
        !scan_text(scan, "port "))
        return scan_fail(scan, "expected \"GUID 0x.. port NUMBER:\"");
    if (scan_text(scan, "ALL:")) return BOUGH_OK;
    if (!scan_number(scan, &port) || !scan_text(scan, ":") || port > BOUGH_PORT_MAX)
        return scan_fail(scan, "expected \"port NUMBER:\", of at most %d", BOUGH_PORT_MAX);
    if (guid == 0) return scan_fail(scan, "the GUID is 0");
    r->port.guid = guid;
    r->port.port = (uint32_t)port;
    return read_items(r);
}

static bough_status read_line(reader *r) {
    scanner s = *r->scan;
    r->data = r->data || scan_starts(&s, "Data Counters for ");
    r->summary = r->summary || scan_starts(&s, "## Summary:");
    if (scan_starts(&s, "##") || scan_starts(&s, "Errors for ") || scan_starts(&s, "Data Counters for "))
        return BOUGH_OK;
    scan_blanks(r->scan);
    if (scan_done(&s) || scan_starts(r->scan, "Link info:")) return BOUGH_OK;
    return read_port(r);
}

bough_status query_errors_read(scanner *scan, port_readings *readings) {
    reader r = {.scan = scan, .readings = readings};
    bough_status status = BOUGH_OK;
    readings->any = true;
    while (!status && scan_line(scan)) status = read_line(&r);
    if (r.summary && !r.data) readings->errors_above = true;
    return status;
}
