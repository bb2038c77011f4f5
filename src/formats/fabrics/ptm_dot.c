/* topology.dot of Cumulus Linux' PTM and of NVIDIA's UFM Validation Tool: a plan of cables as an undirected
 * Graphviz graph.
 *
 *   graph dc1 {
 *       "leaf1" [role="leaf"]
 *       "leaf1":"swp1" -- "spine1":"swp3"
 *   }
 *
 * Attributes and nodes without a cable are ignored. */
#include "base/status/try.h"
#include "formats/fabrics/cable_list.h"
#include "formats/fabrics/dot_language.h"

typedef struct reader {
    bough_dot dot;
    bough_cables cables;
} reader;

/* A node with its port, before it is known whether it has a cable. */
typedef struct end {
    bough_slice name, port;
    uint32_t line;
} end;

static bough_status read_end(reader *r, end *e) {
    if (!bough_dot_named(&r->dot) || !r->dot.token.text.length)
        return bough_dot_fail(&r->dot, "expected the name of a node");
    *e = (end){.name = r->dot.token.text, .line = r->dot.token.line};
    bough_status status = bough_dot_next(&r->dot);
    if (status || !bough_dot_is(&r->dot, ":")) return status;
    status = bough_dot_next(&r->dot);
    if (!status && !bough_dot_named(&r->dot))
        return bough_dot_fail(&r->dot, "expected the name of a port after ':'");
    e->port = r->dot.token.text;
    return status ? status : bough_dot_next(&r->dot);
}

static bough_status add_cable(reader *r, const end *a, const end *b) {
    bough_cable cable = {.end = {{.port = a->port}, {.port = b->port}}, .line = a->line};
    bough_status status = bough_cables_node(&r->cables, a->name, a->line, &cable.end[0].node);
    TRY(bough_cables_node(&r->cables, b->name, b->line, &cable.end[1].node));
    return status ? status : bough_cables_add(&r->cables, &cable);
}

/* "--" */
static bough_status read_line(reader *r) {
    bough_status status = bough_dot_next(&r->dot);
    if (status) return status;
    if (bough_dot_is(&r->dot, "-")) return bough_dot_next(&r->dot);
    return bough_dot_fail(&r->dot, "expected -- between the ends of a cable");
}

/* [role="leaf", rate=...] */
static bough_status skip_attributes(reader *r) {
    bough_status status = BOUGH_OK;
    while (!status && !bough_dot_is(&r->dot, "]")) {
        if (r->dot.token.kind == BOUGH_DOT_END)
            return bough_dot_fail(&r->dot, "expected ], but the file ends");
        status = bough_dot_next(&r->dot);
    }
    return status ? status : bough_dot_next(&r->dot);
}

/* A cable, a node with attributes, or NAME=VALUE. */
static bough_status read_statement(reader *r) {
    end a, b;
    bough_status status = read_end(r, &a);
    if (!status && bough_dot_is(&r->dot, "=")) {
        status = bough_dot_next(&r->dot);
        if (!status && !bough_dot_named(&r->dot))
            return bough_dot_fail(&r->dot, "expected a value after '='");
        TRY(bough_dot_next(&r->dot));
    }
    while (!status && bough_dot_is(&r->dot, "-")) {
        status = read_line(r);
        TRY(read_end(r, &b));
        TRY(add_cable(r, &a, &b));
        a = b;
    }
    while (!status && bough_dot_is(&r->dot, "[")) status = skip_attributes(r);
    if (!status && (bough_dot_is(&r->dot, ";") || bough_dot_is(&r->dot, ",")))
        status = bough_dot_next(&r->dot);
    return status;
}

static bough_status read_graph(reader *r) {
    bough_status status = bough_dot_next(&r->dot);
    TRY(bough_dot_next(&r->dot)); /* behind "graph" */
    if (!status && bough_dot_named(&r->dot)) status = bough_dot_next(&r->dot);
    if (!status && !bough_dot_is(&r->dot, "{"))
        return bough_dot_fail(&r->dot, "expected { after graph and its name");
    TRY(bough_dot_next(&r->dot));
    while (!status && !bough_dot_is(&r->dot, "}")) {
        if (r->dot.token.kind == BOUGH_DOT_END)
            return bough_dot_fail(&r->dot, "expected }, but the file ends; it may be truncated");
        status = read_statement(r);
    }
    TRY(bough_dot_next(&r->dot));
    if (!status && r->dot.token.kind != BOUGH_DOT_END)
        return bough_dot_fail(&r->dot, "expected the end of the file after }");
    return status;
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    reader r = {.dot = bough_dot_start(scan), .cables = BOUGH_CABLES(parsed)};
    bough_status status = read_graph(&r);
    TRY(bough_cables_finish(&r.cables));
    return status;
}

static bool recognise(const scanner *scan) {
    return scan_starts(scan, "graph ") || scan_starts(scan, "graph{");
}

const bough_fabric_reader bough_reader_ptm = {
    .format = "ptm", .hosts_by_name = true, .recognise = recognise, .read = read_file};
