/* topology.dot of Cumulus Linux' PTM and of NVIDIA's UFM Validation Tool: a plan of cables as an undirected
 * Graphviz graph.
 *
 *   graph dc1 {
 *       "leaf1" [function="leaf"]
 *       "leaf1":"swp1" -- "spine1":"swp3"
 *   }
 *
 * The function (or role) of a node says whether it is a host. Other attributes, and nodes without a cable,
 * are ignored. In a digraph cables are written as ->, whose direction means nothing. */
#include "base/status/try.h"
#include "formats/fabrics/cable_list.h"
#include "formats/fabrics/dot_language.h"

typedef struct reader {
    bough_dot dot;
    bough_cables cables;
    bough_name_map functions; /* of nodes: bough_cable_kind */
    bool directed;
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

static bool is_line(const reader *r) {
    return bough_dot_is(&r->dot, "-") || (r->directed && r->dot.token.kind == BOUGH_DOT_ARROW);
}

/* "--", and in a digraph "->" */
static bough_status read_line(reader *r) {
    const bool arrow = r->dot.token.kind == BOUGH_DOT_ARROW;
    bough_status status = bough_dot_next(&r->dot);
    if (status || arrow) return status;
    if (bough_dot_is(&r->dot, "-")) return bough_dot_next(&r->dot);
    return bough_dot_fail(&r->dot, "expected -- between the ends of a cable");
}

/* "host", "oob-server" */
static bool is_host(bough_slice function) {
    static const char *const words[] = {"host", "server"};
    for (size_t i = 0; i < 2; i++) {
        const size_t length = strlen(words[i]);
        if (function.length < length ||
            memcmp(function.text + function.length - length, words[i], length) != 0)
            continue;
        if (function.length == length || function.text[function.length - length - 1] == '-') return true;
    }
    return false;
}

/* The function of a node; the first one counts. */
static bough_status note_function(reader *r, bough_slice node, bough_slice function) {
    if (bough_name_map_get(&r->functions, node.text, node.length) != BOUGH_NO_INDEX) return BOUGH_OK;
    return bough_name_map_add(&r->functions, node.text, node.length,
                              is_host(function) ? BOUGH_CABLE_HOST : BOUGH_CABLE_SWITCH,
                              r->cables.parsed->error);
}

/* function="leaf"; other attributes are skipped. node: NULL for those of a cable. */
static bough_status read_attribute(reader *r, const end *node) {
    const bool counts = bough_dot_is(&r->dot, "function") || bough_dot_is(&r->dot, "role");
    if (r->dot.token.kind == BOUGH_DOT_END) return bough_dot_fail(&r->dot, "expected ], but the file ends");
    bough_status status = bough_dot_next(&r->dot);
    if (status || !node || !counts || !bough_dot_is(&r->dot, "=")) return status;
    status = bough_dot_next(&r->dot);
    if (!status && bough_dot_named(&r->dot)) status = note_function(r, node->name, r->dot.token.text);
    return status;
}

/* [function="leaf", rate=...] */
static bough_status read_attributes(reader *r, const end *node) {
    bough_status status = BOUGH_OK;
    while (!status && !bough_dot_is(&r->dot, "]")) status = read_attribute(r, node);
    return status ? status : bough_dot_next(&r->dot);
}

/* Of the nodes that have cables. */
static void apply_functions(reader *r) {
    for (size_t n = 0; n < r->cables.parsed->node_count; n++) {
        const char *name = r->cables.parsed->node[n].description;
        const uint32_t kind = bough_name_map_get(&r->functions, name, strlen(name));
        if (kind != BOUGH_NO_INDEX) r->cables.node[n].kind = (bough_cable_kind)kind;
    }
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
    bool cable = false;
    while (!status && is_line(r)) {
        cable = true;
        status = read_line(r);
        TRY(read_end(r, &b));
        TRY(add_cable(r, &a, &b));
        a = b;
    }
    while (!status && bough_dot_is(&r->dot, "[")) status = read_attributes(r, cable ? NULL : &a);
    if (!status && (bough_dot_is(&r->dot, ";") || bough_dot_is(&r->dot, ",")))
        status = bough_dot_next(&r->dot);
    return status;
}

static bough_status read_graph(reader *r) {
    bough_status status = bough_dot_next(&r->dot);
    r->directed = bough_dot_is(&r->dot, "digraph");
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
    reader r = {
        .dot = bough_dot_start(scan), .cables = BOUGH_CABLES(parsed), .functions.memory = &parsed->memory};
    bough_status status = read_graph(&r);
    if (!status) apply_functions(&r);
    TRY(bough_cables_finish(&r.cables));
    return status;
}

/* A digraph of ORCS has the hosts of each cable in a comment; one of cables names ports in most lines. */
static bool is_digraph_of_cables(const scanner *scan) {
    enum { LINES = 64 };
    scanner s = *scan;
    unsigned lines = 0;
    do
        for (; s.at < s.stop; s.at++)
            if (scan_starts(&s, "\":") || scan_starts(&s, ":\""))
                return true;
            else if (scan_starts(&s, "comment"))
                return false;
    while (lines++ < LINES && scan_line(&s));
    return false;
}

static bool recognise(const scanner *scan) {
    if (scan_starts(scan, "digraph")) return is_digraph_of_cables(scan);
    scanner s = *scan;
    if (!scan_text(&s, "graph")) return false;
    return scan_starts(&s, "{") || (scan_blanks(&s) && !scan_starts(&s, "[")); /* with [ it is GML */
}

const bough_fabric_reader bough_reader_ptm = {
    .format = "ptm", .hosts_by_name = true, .recognise = recognise, .read = read_file};
