/* The text format of Prometheus, as exporters or /federate write it:
 *
 *   infiniband_switch_port_transmit_data_bytes_total{guid="0x7cfe9003009ce5b0",port="1"} 1.45192107443712e+14
 *   infiniband_portxmitdata_total{local_guid="0x506b4b03005d3101",local_port="2"} 5.149057134655e+012
 *   node_infiniband_port_data_transmitted_bytes_total{device="mlx5_0",instance="node001:9100",port="1"} 5904
 *
 * The exporters are infiniband_exporter of treydock (bytes), infiniband-exporter of guilbaults (words of 4
 * bytes) and node_exporter (bytes), whose host is the label `instance` of Prometheus. Other metrics are
 * skipped. A time stamp (ms) behind the value is the time of the counters. */
#include "base/status/try.h"
#include "formats/counters/port_readings.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* What follows the prefix, by counter; NULL: the exporter does not have it. */
typedef const char *const metric_names[BOUGH_COUNTERS];

static metric_names treydock = {
    [BOUGH_COUNTER_XMIT_DATA] = "transmit_data_bytes_total",
    [BOUGH_COUNTER_RCV_DATA] = "receive_data_bytes_total",
    [BOUGH_COUNTER_XMIT_WAIT] = "transmit_wait_total",
    [BOUGH_COUNTER_SYMBOL_ERRORS] = "symbol_error_total",
    [BOUGH_COUNTER_LINK_ERROR_RECOVERY] = "link_error_recovery_total",
    [BOUGH_COUNTER_LINK_DOWNED] = "link_downed_total",
    [BOUGH_COUNTER_RCV_ERRORS] = "receive_errors_total",
    [BOUGH_COUNTER_RCV_REMOTE_PHYSICAL] = "receive_remote_physical_errors_total",
    [BOUGH_COUNTER_RCV_SWITCH_RELAY] = "receive_switch_relay_errors_total",
    [BOUGH_COUNTER_XMIT_DISCARDS] = "transmit_discards_total",
    [BOUGH_COUNTER_XMIT_CONSTRAINT] = "transmit_constraint_errors_total",
    [BOUGH_COUNTER_RCV_CONSTRAINT] = "receive_constraint_errors_total",
    [BOUGH_COUNTER_LOCAL_INTEGRITY] = "local_link_integrity_errors_total",
    [BOUGH_COUNTER_BUFFER_OVERRUN] = "excessive_buffer_overrun_errors_total",
    [BOUGH_COUNTER_VL15_DROPPED] = "vl15_dropped_total",
    [BOUGH_COUNTER_QP1_DROPPED] = "qp1_dropped_total",
};

static metric_names guilbaults = {
    [BOUGH_COUNTER_XMIT_DATA] = "portxmitdata_total",
    [BOUGH_COUNTER_RCV_DATA] = "portrcvdata_total",
    [BOUGH_COUNTER_XMIT_WAIT] = "portxmitwait_total",
    [BOUGH_COUNTER_SYMBOL_ERRORS] = "symbolerrorcounter_total",
    [BOUGH_COUNTER_LINK_ERROR_RECOVERY] = "linkerrorrecoverycounter_total",
    [BOUGH_COUNTER_LINK_DOWNED] = "linkdownedcounter_total",
    [BOUGH_COUNTER_RCV_ERRORS] = "portrcverrors_total",
    [BOUGH_COUNTER_RCV_REMOTE_PHYSICAL] = "portrcvremotephysicalerrors_total",
    [BOUGH_COUNTER_XMIT_DISCARDS] = "portxmitdiscards_total",
    [BOUGH_COUNTER_LOCAL_INTEGRITY] = "locallinkintegrityerrors_total",
    [BOUGH_COUNTER_VL15_DROPPED] = "vl15dropped_total",
};

static metric_names node_exporter = {
    [BOUGH_COUNTER_XMIT_DATA] = "port_data_transmitted_bytes_total",
    [BOUGH_COUNTER_RCV_DATA] = "port_data_received_bytes_total",
    [BOUGH_COUNTER_XMIT_WAIT] = "port_transmit_wait_total",
    [BOUGH_COUNTER_SYMBOL_ERRORS] = "symbol_error_total",
    [BOUGH_COUNTER_LINK_ERROR_RECOVERY] = "link_error_recovery_total",
    [BOUGH_COUNTER_LINK_DOWNED] = "link_downed_total",
    [BOUGH_COUNTER_RCV_ERRORS] = "port_errors_received_total",
    [BOUGH_COUNTER_RCV_REMOTE_PHYSICAL] = "port_receive_remote_physical_errors_total",
    [BOUGH_COUNTER_RCV_SWITCH_RELAY] = "port_receive_switch_relay_errors_total",
    [BOUGH_COUNTER_XMIT_DISCARDS] = "port_discards_transmitted_total",
    [BOUGH_COUNTER_XMIT_CONSTRAINT] = "port_constraint_errors_transmitted_total",
    [BOUGH_COUNTER_RCV_CONSTRAINT] = "port_constraint_errors_received_total",
};

typedef struct exporter {
    const char *prefix;
    metric_names *name;
    const char *guid, *port; /* labels; guid NULL: the label `instance` names the host */
    bool bytes;
} exporter;

/* The first whose prefix and name match. */
static const exporter exporters[] = {
    {"infiniband_switch_port_", &treydock, "guid", "port", true},
    {"infiniband_hca_port_", &treydock, "guid", "port", true},
    {"infiniband_", &guilbaults, "local_guid", "local_port", false},
    {"node_infiniband_", &node_exporter, NULL, "port", true},
};

static const exporter *find_exporter(bough_slice name, bough_counter *counter) {
    for (size_t i = 0; i < sizeof exporters / sizeof *exporters; i++) {
        const exporter *e = &exporters[i];
        const size_t length = strlen(e->prefix);
        if (name.length < length || memcmp(name.text, e->prefix, length) != 0) continue;
        const bough_slice rest = {name.text + length, name.length - length};
        for (int c = 0; c < BOUGH_COUNTERS; c++) {
            *counter = (bough_counter)c;
            if ((*e->name)[c] && bough_slice_is(rest, (*e->name)[c])) return e;
        }
    }
    return NULL;
}

/* ---- lines ---- */

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == ':';
}

static bool read_name(scanner *scan, bough_slice *name) {
    name->text = scan->at;
    while (scan->at < scan->stop && is_name(*scan->at)) scan->at++;
    name->length = (size_t)(scan->at - name->text);
    return name->length > 0;
}

/* "value" with \" and \\ inside, which stay as they are. */
static bool read_quoted(scanner *scan, bough_slice *value) {
    if (!scan_text(scan, "\"")) return false;
    value->text = scan->at;
    while (scan->at < scan->stop && *scan->at != '"') scan->at += *scan->at == '\\' ? 2 : 1;
    if (scan->at >= scan->stop) {
        scan->at = scan->stop;
        return false;
    }
    value->length = (size_t)(scan->at++ - value->text);
    return true;
}

/* Labels that name a port. */
typedef struct labels {
    bough_slice guid, port, device, instance;
} labels;

static bough_status read_labels(scanner *scan, const exporter *e, labels *l) {
    *l = (labels){.guid.length = 0};
    if (!scan_text(scan, "{")) return BOUGH_OK;
    while (!scan_text(scan, "}")) {
        bough_slice key, value;
        scan_blanks(scan);
        if (!read_name(scan, &key) || !scan_text(scan, "=") || !read_quoted(scan, &value))
            return scan_fail(scan, "expected labels, as in {guid=\"0x7cfe\",port=\"1\"}");
        if (e->guid && bough_slice_is(key, e->guid)) l->guid = value;
        if (bough_slice_is(key, e->port)) l->port = value;
        if (bough_slice_is(key, "device")) l->device = value;
        if (bough_slice_is(key, "instance")) l->instance = value;
        scan_text(scan, ",");
        scan_blanks(scan);
    }
    return BOUGH_OK;
}

/* A decimal number, or NaN. */
static bool read_real(scanner *scan, double *value) {
    char text[64];
    bough_slice word;
    scan_blanks(scan);
    if (!scan_word(scan, &word) || word.length >= sizeof text) return false;
    memcpy(text, word.text, word.length);
    text[word.length] = 0;
    char *end;
    *value = strtod(text, &end);
    return *end == 0;
}

/* Whole numbers stay exact where they have no point or exponent. NAN: *known is false. */
static bough_status read_value(scanner *scan, uint64_t *value, bool *known) {
    scanner s = *scan;
    const double most = 18446744073709551616.0;
    double real = 0;
    scan_blanks(&s);
    *known = true;
    if (scan_number(&s, value) && *value < UINT64_MAX && (s.at == s.stop || *s.at == ' ')) {
        *scan = s;
        return BOUGH_OK;
    }
    if (!read_real(scan, &real) || (!isnan(real) && !(real >= 0 && real < most && real == floor(real))))
        return scan_fail(scan, "the value of a counter must be a whole number below 2^64");
    *known = !isnan(real);
    *value = *known ? (uint64_t)real : 0;
    return BOUGH_OK;
}

/* The time stamp of a sample, in ms; the latest one counts. */
static bough_status read_stamp(scanner *scan, port_readings *readings) {
    double stamp;
    if (scan_done(scan)) return BOUGH_OK;
    if (!read_real(scan, &stamp) || !isfinite(stamp) || !scan_done(scan))
        return scan_fail(scan, "expected a time stamp in ms behind the value, or nothing");
    if (!(readings->time > stamp / 1000)) readings->time = stamp / 1000;
    return BOUGH_OK;
}

/* ---- ports ---- */

/* The name of a host in "node001.example.org:9100"; addresses stay as they are. */
static bough_slice host_of(bough_slice instance) {
    const char *colon = memchr(instance.text, ':', instance.length);
    if (colon) instance.length = (size_t)(colon - instance.text);
    const char *dot = memchr(instance.text, '.', instance.length);
    if (dot && !isdigit((unsigned char)*instance.text)) instance.length = (size_t)(dot - instance.text);
    return instance;
}

static bough_status read_port(const scanner *scan, const exporter *e, const labels *l, port_reading *r) {
    uint64_t port = 0;
    scanner s = scan_part(scan, l->port);
    if (!scan_number(&s, &port) || !scan_done(&s) || port > BOUGH_PORT_MAX)
        return scan_fail(scan, "the label %s must be a number of at most %d", e->port, BOUGH_PORT_MAX);
    r->port = (uint32_t)port;
    if (!e->guid) {
        r->host = l->instance.length ? host_of(l->instance) : l->instance;
        r->device = l->device;
        if (r->host.length) return BOUGH_OK;
        return scan_fail(scan, "has no label `instance`, so that its host is not known; take the metrics of "
                               "all hosts from /federate of Prometheus");
    }
    s = scan_part(scan, l->guid);
    scan_text(&s, "0x");
    if (!scan_hex(&s, &r->guid) || !scan_done(&s) || !r->guid)
        return scan_fail(scan, "the label %s must be a GUID, as in 0x7cfe9003009ce5b0", e->guid);
    return BOUGH_OK;
}

static bough_status read_sample(scanner *scan, port_readings *readings) {
    bough_slice name;
    bough_counter counter = BOUGH_COUNTERS;
    labels l;
    bool known = false;
    if (!read_name(scan, &name)) return scan_fail(scan, "expected NAME{LABELS} VALUE");
    const exporter *e = find_exporter(name, &counter);
    if (!e) return BOUGH_OK;
    port_reading r = {.counter = (uint8_t)counter, .bytes = e->bytes};
    r.wide = counter <= BOUGH_COUNTER_RCV_DATA;
    readings->any = true;
    bough_status status = read_labels(scan, e, &l);
    TRY(read_port(scan, e, &l, &r));
    TRY(read_value(scan, &r.value, &known));
    TRY(read_stamp(scan, readings));
    if (!status && known) status = port_readings_add(readings, scan, r);
    return status;
}

bough_status prometheus_read(scanner *scan, port_readings *readings) {
    bough_status status = BOUGH_OK;
    while (!status && scan_line(scan)) {
        scanner s = *scan;
        if (scan_done(&s) || *scan->at == '#') continue;
        status = read_sample(scan, readings);
    }
    return status;
}
