/* Lists of cables as CSV, a common form of Ethernet cabling plans and neighbour tables:
 *
 *   node,port,node,port,rate
 *   leaf1,1,host1,1,25Gb/s
 *   leaf1,49,spine1,1,100Gb/s
 *
 * The first line names the columns: node twice, port and kind (host or switch) up to twice, each belonging to
 * the preceding node, or to the first and the second in turn; rate. Other columns are ignored. Cells may be
 * quoted, with inner quotes doubled (RFC 4180). Lines that start with # are comments. */
#include "base/status/try.h"
#include "base/text/csv_line.h"
#include "base/text/utf8.h"
#include "network/files/cable_list.h"

#include "base/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { COLUMNS = 64 };
typedef enum role { OTHER, NODE, PORT, KIND, RATE } role;

typedef struct reader {
    bough_scan *scan;
    bough_cables cables;
    bough_error *error;
    role role[COLUMNS];
    unsigned side[COLUMNS], columns; /* side: the node to which the column belongs */
    bough_text name;                 /* of the current node */
} reader;

static void skip_mark(bough_scan *s) {
    bough_scan_text(s, "\xef\xbb\xbf"); /* byte order mark */
}

/* Reads the next cell of the line; *more: another one follows. Returns false if it is invalid. */
static bool next_cell(bough_scan *s, csv_cell *c, bool *more) {
    const char *at = s->at;
    *more = false;
    if (csv_next(&at, s->stop, c)) return false;
    while (c->length && strchr(" \t\r", c->text[c->length - 1])) c->length--; /* also within quotes */
    *more = at != NULL;
    s->at = at ? at : s->stop;
    return true;
}

static bool is(const csv_cell *c, const char *word) {
    return strlen(word) == c->length && strncasecmp(c->text, word, c->length) == 0;
}

static bool recognise(const bough_scan *scan) {
    bough_scan s = *scan;
    unsigned nodes = 0, columns = 0;
    csv_cell c;
    skip_mark(&s);
    for (bool more = true; more && columns < COLUMNS; columns++)
        if (!next_cell(&s, &c, &more))
            return false;
        else
            nodes += is(&c, "node");
    return nodes > 0 && columns > 1;
}

static bool skipped(bough_scan *s) {
    bough_scan line = *s;
    if (line.at < line.stop && line.stop[-1] == '\r') line.stop--;
    return bough_scan_done(&line) || *line.at == '#';
}

static bough_status read_header(reader *r) {
    bough_scan *s = r->scan;
    static const char *const names[] = {[NODE] = "node", [PORT] = "port", [KIND] = "kind", [RATE] = "rate"};
    unsigned seen[RATE + 1] = {0};
    bool more = true;
    skip_mark(s);
    while (more) {
        csv_cell c;
        if (!next_cell(s, &c, &more))
            return bough_scan_fail(s, r->error, "column %u: missing closing quote", r->columns + 1);
        if (r->columns == COLUMNS) return bough_scan_fail(s, r->error, "has more than %d columns", COLUMNS);
        role found = OTHER;
        for (role k = NODE; k <= RATE; k++)
            if (is(&c, names[k])) found = k;
        if (found == RATE && seen[RATE])
            return bough_scan_fail(s, r->error, "column %u: rate is given twice", r->columns + 1);
        if (found != OTHER && seen[found] == 2)
            return bough_scan_fail(s, r->error, "column %u: a third %s; a cable has two ends", r->columns + 1,
                                   names[found]);
        r->side[r->columns] = seen[found];
        r->role[r->columns++] = found;
        seen[found]++;
    }
    if (seen[NODE] != 2)
        return bough_scan_fail(s, r->error,
                               "names %u column%s node; expected two, as in node,port,node,port,rate",
                               seen[NODE], seen[NODE] == 1 ? "" : "s");
    return BOUGH_OK;
}

/* Parses 100Gb/s, 25 Gbps, 400G; false if invalid, or not a positive whole number of bits. */
static bool read_rate(const csv_cell *c, uint64_t *rate) {
    char text[40], *end;
    if (c->length >= sizeof text) return false;
    memcpy(text, c->text, c->length);
    text[c->length] = 0;
    if (*text < '0' || *text > '9' || strcspn(text, "xX") < c->length) return false;
    double value = strtod(text, &end);
    while (*end == ' ') end++;
    bool prefix = *end && strchr("kKMGT", *end);
    if (prefix) value *= *end == 'T' ? 1e12 : *end == 'G' ? 1e9 : *end == 'M' ? 1e6 : 1e3;
    end += prefix;
    if (strcasecmp(end, "b/s") != 0 && strcasecmp(end, "bps") != 0 && strcasecmp(end, "bit/s") != 0 &&
        !(prefix && *end == 0))
        return false;
    if (!(value >= 1 && value < 1e18)) return false;
    *rate = (uint64_t)llround(value);
    return true;
}

static bough_status wrong_cell(reader *r, unsigned column, const csv_cell *c, const char *what) {
    char text[48];
    bough_copy_printable(c->text, c->length, text, sizeof text);
    return bough_scan_fail(r->scan, r->error, "column %u: '%s' %s", column + 1, text, what);
}

/* Blanks at the ends of a name are removed, also within quotes. */
static bough_status read_node(reader *r, const csv_cell *c, unsigned column, uint32_t *node) {
    const char *at = c->text, *stop = at + c->length;
    while (at < stop && (unsigned char)*at <= ' ') at++;
    while (at < stop && (unsigned char)stop[-1] <= ' ') stop--;
    if (at == stop) return bough_scan_fail(r->scan, r->error, "column %u: missing node name", column + 1);
    r->name.length = 0;
    for (; at < stop; at++) {
        bough_text_add(&r->name, at, 1);
        if (c->quoted && *at == '"') at++;
    }
    if (r->name.failed) return bough_fail_memory(r->error, c->length);
    return bough_cables_node(&r->cables, (bough_slice){r->name.data, r->name.length}, r->scan->line, node,
                             r->error);
}

typedef struct csv_row {
    bough_cable cable;
    bough_cable_kind kind[2];
} csv_row;

static bough_status read_cell(reader *r, unsigned column, const csv_cell *c, csv_row *row) {
    unsigned side = r->side[column];
    switch (r->role[column]) {
    case NODE:
        return read_node(r, c, column, &row->cable.end[side].node);
    case PORT:
        row->cable.end[side].port = (bough_slice){c->text, c->length};
        break;
    case KIND:
        if (c->length && !is(c, "host") && !is(c, "switch"))
            return wrong_cell(r, column, c, "is not a kind of node; expected host, switch or nothing");
        row->kind[side] = is(c, "host") ? BOUGH_CABLE_HOST
                          : c->length   ? BOUGH_CABLE_SWITCH
                                        : BOUGH_CABLE_OPEN;
        break;
    case RATE:
        if (c->length && !read_rate(c, &row->cable.rate))
            return wrong_cell(r, column, c, "is not a rate; expected a number with its unit, as in 100Gb/s");
        break;
    case OTHER:
        break;
    }
    return BOUGH_OK;
}

static bough_status read_row(reader *r) {
    bough_scan *s = r->scan;
    csv_row row = {.cable.line = s->line};
    unsigned column = 0;
    for (bool more = true; more; column++) {
        csv_cell c;
        if (!next_cell(s, &c, &more))
            return bough_scan_fail(s, r->error, "column %u: missing closing quote, or text after it",
                                   column + 1);
        if (column == r->columns)
            return bough_scan_fail(s, r->error, "has more cells than the first line (%u)", column);
        bough_status status = read_cell(r, column, &c, &row);
        if (status) return status;
    }
    if (column < r->columns)
        return bough_scan_fail(s, r->error, "has %u cells; the first line has %u", column, r->columns);
    bough_status status = bough_cables_add(&r->cables, &row.cable, r->error);
    for (int k = 0; k < 2 && !status; k++) {
        uint32_t node = row.cable.end[k].node;
        struct bough_cable_node *n = &r->cables.node[node];
        if (row.kind[k] && n->kind && n->kind != row.kind[k])
            return bough_scan_fail(s, r->error, "%s is listed both as a host and as a switch",
                                   r->cables.parsed->node[node].description);
        if (row.kind[k]) n->kind = row.kind[k];
    }
    return status;
}

static bough_status read_file(bough_scan *scan, bough_parsed_fabric *parsed, bough_error *error) {
    reader r = {.scan = scan, .cables = {.parsed = parsed}, .error = error};
    bough_status status = BOUGH_OK;
    while (!status && bough_scan_line(scan))
        if (!skipped(scan)) status = r.columns ? read_row(&r) : read_header(&r);
    TRY(bough_cables_finish(&r.cables, error));
    bough_cables_fini(&r.cables);
    bough_text_fini(&r.name);
    return status;
}

const bough_fabric_reader bough_reader_csv = {
    .format = "csv", .hosts_by_name = true, .recognise = recognise, .read = read_file};
