/* Lists of cables as CSV, a common form of Ethernet cabling plans and neighbour tables:
 *
 *   node,port,node,port,rate
 *   leaf1,1,host1,1,25Gb/s
 *   leaf1,49,spine1,1,100Gb/s
 *
 * The first line names the columns: node twice, port and kind (host or switch) up to twice, each belonging to
 * the preceding node, or to the first and the second in turn; rate. Other columns are ignored. A node may
 * also be named by its side ("node a", "port b"), as NetBox names them: side_a_device and side_a_name in
 * imports, "Device A" and "Termination A" in exports of cables. Other headers with the nodes of both ends are
 * tables of neighbours, as programs export them (neighbour_columns.h). Cells may be quoted, with quotes
 * inside doubled (RFC 4180). Lines that start with # are comments. */
#include "base/files/input.h"
#include "base/status/try.h"
#include "base/text/csv_reader.h"
#include "base/text/measures.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "formats/fabrics/neighbour_columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { COLUMNS = NEIGHBOUR_COLUMNS };
typedef neighbour_role role;

typedef struct reader {
    csv_reader csv;
    bough_cables cables;
    role role[COLUMNS];
    unsigned side[COLUMNS], columns; /* side: the node to which the column belongs */
    bool table;                      /* of neighbours, with names of columns of other programs */
    uint64_t uncabled;               /* its lines without a neighbour */
    bough_text name;                 /* of the current node */
} reader;

/* Names of a node's columns that state the side, with % for it; _ stands for a blank as well. */
static const struct side_name {
    const char *name;
    role role;
} side_names[] = {{"node_%", NODE}, {"%_node", NODE}, {"device_%", NODE},    {"side_%_device", NODE},
                  {"port_%", PORT}, {"%_port", PORT}, {"side_%_name", PORT}, {"termination_%", PORT},
                  {"kind_%", KIND}, {"%_kind", KIND}, {"side_%_type", TYPE}, {"termination_type_%", TYPE},
                  {"type_%", TYPE}};
enum { SIDE_NAMES = sizeof side_names / sizeof *side_names };

static bool is_side_name(const csv_cell *c, const char *name, unsigned *side) {
    if (strlen(name) != c->length) return false;
    for (size_t i = 0; i < c->length; i++) {
        char letter = (char)(c->text[i] >= 'A' && c->text[i] <= 'Z' ? c->text[i] + ('a' - 'A') : c->text[i]);
        if (name[i] == '%' && (letter == 'a' || letter == 'b'))
            *side = letter == 'b';
        else if (letter != name[i] && !(name[i] == '_' && letter == ' '))
            return false;
    }
    return true;
}

/* The role of a column that states its side. */
static role side_role(const csv_cell *c, unsigned *side) {
    for (size_t i = 0; i < SIDE_NAMES; i++)
        if (is_side_name(c, side_names[i].name, side)) return side_names[i].role;
    return OTHER;
}

/* By the line of the column names, which may be a comment: "#StartDevice,StartPort,EndDevice,EndPort". */
static bool recognise(const scanner *scan) {
    scanner s = *scan;
    const bool comment = scan_text(&s, "#");
    csv_cell cell[COLUMNS];
    role roles[COLUMNS];
    unsigned nodes = 0, columns = 0, side, sides[COLUMNS];
    for (const char *at = s.at; at && columns < COLUMNS; columns++) {
        csv_cell *c = &cell[columns];
        if (csv_next(&at, s.stop, c)) return false;
        *c = csv_trimmed(*c);
        nodes += csv_is(c, "node") || side_role(c, &side) == NODE;
    }
    return columns > 1 && ((nodes > 0 && !comment) || neighbour_columns_find(cell, columns, roles, sides));
}

static bough_status read_header(reader *reads) {
    const csv_reader *r = &reads->csv;
    static const char *const names[] = {[NODE] = "node", [PORT] = "port", [KIND] = "kind", [RATE] = "rate"};
    unsigned seen[RATE + 1] = {0}, sides[RATE + 1] = {0};
    if (r->cells > COLUMNS) return FAIL_HERE("has more than %d columns", COLUMNS);
    for (unsigned i = 0; i < r->cells; i++) {
        const csv_cell c = csv_trimmed(r->found[i]);
        role found = OTHER;
        for (role k = NODE; k <= RATE; k++)
            if (names[k] && csv_is(&c, names[k])) found = k;
        if (found == RATE && seen[RATE]) return FAIL_HERE("column %u: rate is given twice", i + 1);
        unsigned side = seen[found];
        if (found == OTHER) found = side_role(&c, &side);
        reads->role[i] = found;
        reads->side[i] = side;
        if (found == OTHER || found == TYPE) continue; /* there may be many */
        if (seen[found] == 2)
            return FAIL_HERE("column %u: a third %s; a cable has two ends", i + 1, names[found]);
        if (found != RATE && sides[found] >> side & 1)
            return FAIL_HERE("column %u: %s of side %c is given twice", i + 1, names[found], "ab"[side]);
        sides[found] |= 1U << side;
        seen[found]++;
    }
    reads->columns = (unsigned)r->cells;
    if (seen[NODE] == 2) return BOUGH_OK;
    reads->table = neighbour_columns_find(r->found, reads->columns, reads->role, reads->side);
    if (!reads->table)
        return FAIL_HERE("names %u column%s node; expected two, as in node,port,node,port,rate", seen[NODE],
                         seen[NODE] == 1 ? "" : "s");
    return BOUGH_OK;
}

static bough_status wrong_cell(const csv_reader *r, unsigned column, const csv_cell *c, const char *what) {
    char text[48];
    bough_copy_printable(c->text, c->length, text, sizeof text);
    return FAIL_HERE("column %u: '%s' %s", column + 1, text, what);
}

/* Blanks at the ends of a name are removed, also within quotes. */
static bough_status read_node(reader *reads, const csv_cell *c, unsigned column, uint32_t *node) {
    const csv_reader *r = &reads->csv;
    bough_text *name = &reads->name;
    const char *at = c->text, *stop = at + c->length;
    while (at < stop && (unsigned char)*at <= ' ') at++;
    while (at < stop && (unsigned char)stop[-1] <= ' ') stop--;
    if (at == stop) return FAIL_HERE("column %u: missing node name", column + 1);
    name->length = 0;
    for (; at < stop; at++) {
        bough_text_add(name, at, 1);
        if (c->quoted && *at == '"') at++;
    }
    if (name->failed) return bough_fail_memory(r->in.error, c->length);
    return bough_cables_node(&reads->cables, (bough_slice){name->data, name->length}, (uint32_t)r->in.line,
                             node);
}

typedef struct cable_row {
    bough_cable cable;
    bough_cable_kind kind[2];
    bool panel[2]; /* front or rear ports, as NetBox says */
} cable_row;

/* "dcim.frontport", "rear port" */
static bool is_panel_port(const csv_cell *c) {
    for (size_t i = 0; i + 4 <= c->length; i++)
        if (strncasecmp(c->text + i, "rear", 4) == 0 ||
            (i + 5 <= c->length && strncasecmp(c->text + i, "front", 5) == 0))
            return true;
    return false;
}

static bough_status read_cell(reader *reads, unsigned column, const csv_cell *c, cable_row *row) {
    const csv_reader *r = &reads->csv;
    unsigned side = reads->side[column];
    switch (reads->role[column]) {
    case NODE:
        return read_node(reads, c, column, &row->cable.end[side].node);
    case PORT:
        row->cable.end[side].port = (bough_slice){c->text, c->length};
        break;
    case KIND:
        if (c->length && !csv_is(c, "host") && !csv_is(c, "switch"))
            return wrong_cell(r, column, c, "is not a kind of node; expected host, switch or nothing");
        row->kind[side] = csv_is(c, "host") ? BOUGH_CABLE_HOST
                          : c->length       ? BOUGH_CABLE_SWITCH
                                            : BOUGH_CABLE_OPEN;
        break;
    case TYPE:
        row->panel[side] = is_panel_port(c);
        break;
    case RATE:
        if (reads->table)
            neighbour_rate(*c, &row->cable.rate);
        else if (c->length && !measure_rate(c->text, c->length, false, &row->cable.rate))
            return wrong_cell(r, column, c, "is not a rate; expected a number with its unit, as in 100Gb/s");
        break;
    case OTHER:
        break;
    }
    return BOUGH_OK;
}

static bool has_no_neighbour(const reader *reads) {
    for (unsigned i = 0; i < reads->columns; i++)
        if (reads->role[i] == NODE && !csv_trimmed(reads->csv.found[i]).length) return true;
    return false;
}

static bough_status read_row(reader *reads) {
    const csv_reader *r = &reads->csv;
    cable_row row = {.cable.line = (uint32_t)r->in.line};
    if (r->cells > reads->columns)
        return FAIL_HERE("has more cells than the first line (%u)", reads->columns);
    if (r->cells < reads->columns)
        return FAIL_HERE("has %zu cells; the first line has %u", r->cells, reads->columns);
    if (reads->table && has_no_neighbour(reads)) return reads->uncabled++, BOUGH_OK;
    for (unsigned i = 0; i < reads->columns; i++) {
        const csv_cell c = csv_trimmed(r->found[i]);
        bough_status status = read_cell(reads, i, &c, &row);
        if (status) return status;
    }
    bough_status status = bough_cables_add(&reads->cables, &row.cable);
    for (int k = 0; k < 2 && !status; k++) {
        uint32_t node = row.cable.end[k].node;
        struct bough_cable_node *n = &reads->cables.node[node];
        if (row.kind[k] && n->kind && n->kind != row.kind[k])
            return FAIL_HERE("%s is listed both as a host and as a switch",
                             reads->cables.parsed->node[node].description);
        if (row.kind[k]) n->kind = row.kind[k];
        n->panel |= row.panel[k];
    }
    return status;
}

/* Starts at names of columns that are a comment, if the file begins with them. */
static void skip_to_header(csv_reader *csv, const scanner *start) {
    scanner s = *start;
    while (scan_line(&s) && (scan_done(&s) || *s.at == '#'))
        if (s.at < s.stop && recognise(&s)) {
            csv_move(csv, s.at + 1, s.line);
            return;
        }
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    reader reads = {.csv.in.error = parsed->error, .cables = BOUGH_CABLES(parsed)};
    reads.cables.neighbours = true;
    bough_status status = BOUGH_OK;
    csv_open(&reads.csv, scan->file, scan->cursor, (size_t)(scan->end - scan->cursor));
    skip_to_header(&reads.csv, scan);
    while (!status && !(status = csv_row(&reads.csv)) && reads.csv.cells)
        status = reads.columns ? read_row(&reads) : read_header(&reads);
    TRY(bough_cables_finish(&reads.cables));
    if (!status) neighbours_note_uncabled(&reads.cables, reads.uncabled);
    bough_text_fini(&reads.name);
    csv_close(&reads.csv);
    return status;
}

const bough_fabric_reader bough_reader_csv = {
    .format = "csv", .hosts_by_name = true, .recognise = recognise, .read = read_file};
