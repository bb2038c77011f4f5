/* Reading of fabric files: detects the format and creates a bough_fabric. */
#include "base/status/try.h"
#include "formats/fabrics/fabric.h"

#include "base/files/input.h"
#include "base/files/input_blocks.h"
#include "base/memory/fnv1a.h"
#include "base/text/terminal_text.h"
#include "formats/fabrics/fabric_bundle.h"
#include "formats/fabrics/parsed_fabric.h"

#include <inttypes.h>
#include <stdio.h>

/* In the order in which they are tried. */
static const bough_fabric_reader *const readers[] = {
    &bough_reader_link_info, /* "Switch 0x.." before "Switch 36 .." */
    &bough_reader_link_info_lines,
    &bough_reader_netlist, /* nodes with names before those with GUIDs */
    &bough_reader_ibnetdiscover,
    &bough_reader_ibnetdiscover_ports,
    &bough_reader_db_csv,
    &bough_reader_subnet_list,
    &bough_reader_net_dump,
    &bough_reader_ptm, /* a digraph with ports before one of ORCS */
    &bough_reader_orcs,
    &bough_reader_csv,
    &bough_reader_neighbours,
    &bough_reader_anynet,
    &bough_reader_topo,
    &bough_reader_ibdm,
    &bough_reader_topology_conf,
    &bough_reader_topology_yaml,
    &bough_reader_topograph,
    &bough_reader_containerlab,
    &bough_reader_ns3,
    &bough_reader_json,
    &bough_reader_graphml,
    &bough_reader_simgrid,
};

const char bough_fabric_expected[] =
    "expected output of ibnetdiscover (plain or -p) or iblinkinfo, ibdiagnet2.db_csv, a list of cables "
    "(node,port,node,port,rate), a topology.conf, or another format that `bough list formats` prints";

/* Moves to the first line that says what the file is, and sets its reader; NULL: unknown. */
static bool find_reader(scanner *s, const bough_fabric_reader **reader) {
    *reader = NULL;
    while (terminal_next_line(s)) {
        if (scan_done(s) || scan_starts(s, "//")) continue;
        if (*s->at == '#' && !bough_reader_csv.recognise(s)) continue; /* names of columns may be a comment */
        for (size_t i = 0; i < sizeof readers / sizeof *readers && !*reader; i++)
            if (readers[i]->recognise(s)) *reader = readers[i];
        return true;
    }
    return false;
}

const bough_fabric_reader *bough_fabric_reader_of(const char *data, size_t size) {
    const bough_fabric_reader *reader = NULL;
    scanner scan;
    if (scan_start(&scan, "", data, size, NULL)) return NULL;
    find_reader(&scan, &reader);
    return reader;
}

/* Finds the format by the first significant line; scan stays there. */
static bough_status recognise(scanner *s, const bough_fabric_reader **reader) {
    if (!find_reader(s, reader))
        return bough_fail(s->error, BOUGH_INVALID, s->file, "is empty; %s", bough_fabric_expected);
    if (*reader) return BOUGH_OK;
    s->open = false; /* the message is about the whole file */
    const char *other = bough_fabric_other(s);
    return other ? scan_fail(s, "is not a fabric file, but %s", other)
                 : scan_fail(s, "is not a fabric file; %s", bough_fabric_expected);
}

static bool has_hosts(const bough_parsed_fabric *parsed) {
    for (size_t n = 0; n < parsed->node_count; n++)
        if (parsed->node[n].kind == BOUGH_FABRIC_ADAPTER) return true;
    return false;
}

static bough_status check_hosts(const bough_fabric_reader *reader, const bough_parsed_fabric *parsed) {
    if (parsed->hosts && !reader->hosts_by_name)
        return bough_fail(
            parsed->error, BOUGH_INVALID, parsed->name,
            "hosts= applies to lists of cables that do not state which nodes are hosts; this file does");
    if (parsed->hosts && !has_hosts(parsed))
        return bough_fail(parsed->error, BOUGH_INVALID, parsed->name,
                          "hosts=%s: matches none of the names of %zu nodes", parsed->hosts,
                          parsed->node_count);
    return parsed->node_count
               ? BOUGH_OK
               : bough_fail(parsed->error, BOUGH_INVALID, parsed->name,
                            "is read as %s, but contains no nodes with cables", reader->format);
}

/* A fabric while its file is read. */
typedef struct building {
    const bough_fabric_reader *reader;
    bough_parsed_fabric parsed;
    const char *names; /* path of a node name map; NULL: none */
    bough_fabric *fabric;
    bough_error *error;
} building;

static bough_status start(building *b, const char *name, const char *hosts) {
    bough_fabric *fabric = b->fabric;
    *fabric = (bough_fabric){.format = ""};
    bough_status status = arena_copy(&fabric->memory, &fabric->source, name, b->error);
    b->parsed = (bough_parsed_fabric){.kept = &fabric->memory,
                                      .name = fabric->source,
                                      .hosts = hosts && *hosts ? hosts : NULL,
                                      .log = {.out = &fabric->findings, .source = fabric->source},
                                      .error = b->error};
    for (int k = 0; k < 3; k++) b->parsed.guids[k].memory = &b->parsed.memory;
    return status;
}

/* Makes the fabric of what was read. */
static bough_status assemble(building *b) {
    bough_parsed_fabric *parsed = &b->parsed;
    bough_status status = check_hosts(b->reader, parsed);
    b->fabric->hosts_by_name = b->reader->hosts_by_name;
    if (b->names && *b->names) TRY(bough_fabric_read_names(parsed, b->names, &b->fabric->hash));
    TRY(bough_parsed_assemble(parsed, b->fabric));
    if (!status && b->reader->has_routes) status = bough_orcs_tables(parsed, b->fabric);
    if (!status && parsed->skipped)
        bough_log_finding(&parsed->log, &(bough_finding_head){BOUGH_INFO, "tool-message"}, TERMINAL_SKIPPED,
                          parsed->skipped);
    return status;
}

static bough_status end(building *b, bough_status status) {
    if (!status) status = assemble(b);
    TRY(bough_finding_log_end(&b->parsed.log, b->error));
    arena_fini(&b->parsed.memory);
    if (status) bough_fabric_fini(b->fabric);
    return status;
}

static bough_status read_piece(building *b, const bough_input_piece *piece) {
    scanner scan, first;
    bough_status status = scan_start(&scan, piece->name, piece->data, piece->size, b->error);
    first = scan;
    TRY(recognise(&scan, &b->reader));
    if (status) return status;
    b->fabric->format = b->reader->format;
    return b->reader->read(&first, &b->parsed);
}

/* Takes ownership of input. */
static bough_status build(bough_input *input, const bough_fabric_file *file, bough_fabric *fabric,
                          bough_error *error) {
    building b = {.fabric = fabric, .names = file->names, .error = error};
    const bough_input_piece *piece = NULL;
    *fabric = (bough_fabric){.format = ""};
    bough_status status = fabric_bundle_choose(input, &piece, error);
    TRY(start(&b, piece->name, file->hosts));
    if (!status) fabric->hash = bough_fnv1a_file(BOUGH_FNV1A_START, piece->data, piece->size);
    TRY(fabric_bundle_note(input, piece, &b.parsed.log, error));
    if (!status) b.parsed.skipped = terminal_clean(&input->piece[piece - input->piece]);
    TRY(read_piece(&b, piece));
    status = end(&b, status);
    bough_input_fini(input);
    return status;
}

/* NULL: the file is read as a whole. */
static const bough_fabric_reader *reader_of_blocks(input_blocks *blocks) {
    size_t size;
    const char *start = input_blocks_start(blocks, &size);
    const bough_fabric_reader *reader = bough_fabric_reader_of(start, size);
    return reader && reader->read_blocks && !terminal_escapes(start, size) ? reader : NULL;
}

static bough_status build_blocks(input_blocks *blocks, const bough_fabric_file *file, bough_fabric *fabric,
                                 bough_error *error) {
    building b = {.fabric = fabric, .names = file->names, .error = error, .reader = reader_of_blocks(blocks)};
    bough_status status = start(&b, file->path, file->hosts);
    fabric->format = b.reader->format;
    TRY(b.reader->read_blocks(blocks, file->threads, &b.parsed));
    fabric->hash = input_blocks_hash(blocks);
    return end(&b, status);
}

bough_status bough_fabric_read_file(const bough_fabric_file *file, bough_fabric *fabric, bough_error *error) {
    bough_input input;
    input_blocks *blocks;
    *fabric = (bough_fabric){.format = ""};
    bough_status status = input_blocks_open(file->path, &blocks, error);
    if (status) return status;
    const bool in_blocks = blocks && reader_of_blocks(blocks);
    if (in_blocks) status = build_blocks(blocks, file, fabric, error);
    input_blocks_close(blocks);
    if (in_blocks) return status;
    status = bough_input_read_some(file->path, &fabric_bundle_files, &input, error);
    return status ? status : build(&input, file, fabric, error);
}

bough_status bough_fabric_parse(const char *name, const void *data, size_t size, bough_fabric *fabric,
                                bough_error *error) {
    bough_input input;
    *fabric = (bough_fabric){.format = ""};
    bough_status status = bough_input_from(name, data, size, &input, error);
    return status ? status : build(&input, &(bough_fabric_file){name}, fabric, error);
}

void bough_fabric_fini(bough_fabric *fabric) {
    if (!fabric) return;
    if (fabric->tables) bough_tables_fini(fabric->tables);
    bough_findings_fini(&fabric->findings);
    arena_fini(&fabric->memory);
    *fabric = (bough_fabric){.format = ""};
}

/* The first port of this node with at least this number, or of a later node. */
static uint32_t lower_bound(const bough_fabric *fabric, uint32_t node, uint32_t number) {
    uint32_t low = 0, high = fabric->port_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const bough_fabric_port *p = &fabric->port[middle];
        if (p->node < node || (p->node == node && p->number < number))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void bough_fabric_ports(const bough_fabric *fabric, uint32_t node, uint32_t *first, uint32_t *count) {
    *first = lower_bound(fabric, node, 0);
    *count = (node == UINT32_MAX ? fabric->port_count : lower_bound(fabric, node + 1, 0)) - *first;
}

uint32_t bough_fabric_port_find(const bough_fabric *fabric, uint32_t node, uint32_t number) {
    uint32_t i = lower_bound(fabric, node, number);
    if (i == fabric->port_count || fabric->port[i].node != node || fabric->port[i].number != number)
        return BOUGH_NO_INDEX;
    return i;
}

uint32_t bough_fabric_port_like(const bough_fabric *fabric, uint32_t node, const bough_fabric_port *other) {
    uint32_t first, count;
    if (!other->name) return bough_fabric_port_find(fabric, node, other->number);
    bough_fabric_ports(fabric, node, &first, &count);
    for (uint32_t i = first; i < first + count; i++)
        if (fabric->port[i].name && strcmp(fabric->port[i].name, other->name) == 0) return i;
    return BOUGH_NO_INDEX;
}

char *bough_fabric_port_text(const bough_fabric *fabric, uint32_t port, char *buffer, size_t size) {
    const bough_fabric_port *p = &fabric->port[port];
    const bough_fabric_node *node = &fabric->node[p->node];
    if (p->name)
        snprintf(buffer, size, "%s/%s", node->name, p->name);
    else if (node->made_ports)
        snprintf(buffer, size, "%s", node->name);
    else
        snprintf(buffer, size, "%s/%" PRIu32, node->name, p->number);
    return buffer;
}
