/* The section PM_INFO of ibdiagnet2.db_csv: a row for each port, with the columns NodeGUID, PortNumber and
 * counters. NAME has the bits of PortCounters; NAMEExt and NAMEExtended are the extended counters, of 64
 * bits. Data are words of 4 bytes. The time is that of the line
 *
 *   # Running timestamp : 2022-08-25 17:45:38 UTC +0000
 */
#include "base/status/try.h"
#include "formats/counters/port_readings.h"
#include "formats/fabrics/infiniband/db_sections.h"

#include <inttypes.h>
#include <math.h>

enum { NODE, PORT, COUNTERS };
#define COLUMNS(id, name, bits) name, name "Ext", name "Extended",
static const db_columns columns = {
    COUNTERS + 3 * BOUGH_COUNTERS, COUNTERS, {"NodeGUID", "PortNumber", BOUGH_COUNTER_MAP(COLUMNS)}};
_Static_assert(COUNTERS + 3 * BOUGH_COUNTERS <= DB_COLUMNS, "more columns than a table can have");

static bough_status add_counter(const db_table *t, port_reading *r, port_readings *readings) {
    bough_status status = BOUGH_OK;
    for (size_t i = 0; i < 3; i++) {
        const size_t c = COUNTERS + 3 * (size_t)r->counter + i;
        if (!t->cell[c].length) continue;
        r->wide = i > 0;
        TRY(db_table_number(t, c, UINT64_MAX, &r->value));
        TRY(port_readings_add(readings, &t->scan, *r));
    }
    return status;
}

static bough_status read_row(const db_table *t, port_readings *readings) {
    port_reading r = {.guid = 0};
    uint64_t port = 0;
    bough_status status = db_table_need(t, COUNTERS);
    TRY(db_table_guid(t, NODE, &r.guid));
    TRY(db_table_number(t, PORT, BOUGH_PORT_MAX, &port));
    r.port = (uint32_t)port;
    if (!status && !r.guid) status = scan_fail(&t->scan, "the GUID is 0");
    for (int c = 0; c < BOUGH_COUNTERS; c++) {
        r.counter = (uint8_t)c;
        TRY(add_counter(t, &r, readings));
    }
    return status;
}

static bough_status read_section(const db_section *section, port_readings *readings) {
    db_table t;
    bool more = false;
    bough_status status = db_table_open(section, &columns, &t);
    TRY(db_table_next(&t, &more));
    while (!status && more) {
        status = read_row(&t, readings);
        TRY(db_table_next(&t, &more));
    }
    return status;
}

/* ---- the time ---- */

/* Days from 1970-01-01 of a date of the Gregorian calendar. */
static int64_t days_of(int64_t year, int64_t month, int64_t day) {
    year -= month <= 2;
    const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return 365 * year + year / 4 - year / 100 + year / 400 + of_year - 719468;
}

/* Numbers with these separators behind them; a blank matches any number of blanks. */
static bool read_numbers(scanner *scan, const char *separators, int64_t *number) {
    for (; *separators; separators++, number++) {
        uint64_t n;
        const char text[] = {*separators, 0};
        if (!scan_number(scan, &n) || n > 9999) return false;
        *number = (int64_t)n;
        if (*separators == '.') continue; /* none */
        if (*separators == ' ' ? !scan_blanks(scan) : !scan_text(scan, text)) return false;
    }
    return true;
}

/* "2022-08-25 17:45:38 UTC +0300"; NAN: another form. */
static double read_time(scanner *scan) {
    int64_t n[6], offset = 0;
    if (!read_numbers(scan, "-- ::.", n) || n[1] < 1 || n[1] > 12 || n[2] < 1 || n[2] > 31) return NAN;
    scan_blanks(scan);
    if (scan_text(scan, "UTC")) {
        scan_blanks(scan);
        const bool west = scan_text(scan, "-");
        if ((!west && !scan_text(scan, "+")) || !read_numbers(scan, ".", &offset)) return NAN;
        offset = (offset / 100 * 60 + offset % 100) * (west ? -60 : 60);
    }
    if (!scan_done(scan)) return NAN;
    return (double)(days_of(n[0], n[1], n[2]) * 86400 + n[3] * 3600 + n[4] * 60 + n[5] - offset);
}

static void find_time(scanner scan, port_readings *readings) {
    while (scan_line(&scan) && scan_starts(&scan, "#")) {
        if (!scan_text(&scan, "# Running timestamp")) continue;
        scan_blanks(&scan);
        if (!scan_text(&scan, ":")) continue;
        scan_blanks(&scan);
        readings->time = read_time(&scan);
    }
}

bough_status pm_info_read(scanner *scan, port_readings *readings) {
    db_sections sections = {0};
    find_time(*scan, readings);
    bough_status status = db_sections_find(scan, &sections);
    for (size_t i = 0; i < sections.count && !status; i++) {
        if (!bough_slice_is(sections.item[i].name, "PM_INFO")) continue;
        readings->any = true;
        status = read_section(&sections.item[i], readings);
    }
    arena_fini(&sections.memory);
    return status;
}
