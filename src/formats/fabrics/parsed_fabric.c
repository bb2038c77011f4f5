#include "formats/fabrics/parsed_fabric.h"

#include "base/status/try.h"
#include "base/text/utf8.h"

#include <stdio.h>
#include <string.h>

/* Data rate of one lane after line coding: 8b/10b up to QDR, 64b/66b from FDR10. The nominal rates of faster
 * links are already data rates. */
static const struct {
    const char *name;
    uint64_t lane; /* bit/s */
} speeds[] = {
    {"SDR", UINT64_C(2000000000)},    {"DDR", UINT64_C(4000000000)},   {"QDR", UINT64_C(8000000000)},
    {"FDR10", UINT64_C(10000000000)}, {"FDR", UINT64_C(13636363636)},  {"EDR", UINT64_C(25000000000)},
    {"HDR", UINT64_C(50000000000)},   {"NDR", UINT64_C(100000000000)}, {"XDR", UINT64_C(200000000000)},
};
static uint16_t parse_width(bough_slice text) {
    static const struct {
        const char *name;
        uint16_t width;
    } widths[] = {{"1x", 1}, {"2x", 2}, {"4x", 4}, {"8x", 8}, {"12x", 12}};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        if (bough_slice_is(text, widths[w].name)) return widths[w].width;
    return 0;
}

/* Adds one finding per text, for any number of ports. */
static void log_unknown_rate(bough_parsed_fabric *parsed, uint32_t line, bough_slice width,
                             bough_slice speed) {
    char text[32];
    size_t used = bough_copy_printable(width.text, width.length, text, sizeof text);
    bough_copy_printable(speed.text, speed.length, text + used, sizeof text - used);
    for (size_t i = 0; i < parsed->unknown_rates; i++)
        if (strcmp(parsed->unknown_rate[i], text) == 0) return;
    if (parsed->unknown_rates < BOUGH_FINDINGS_OF_A_KIND)
        memcpy(parsed->unknown_rate[parsed->unknown_rates++], text, sizeof text);
    bough_log_finding(&parsed->log, &(bough_finding_head){BOUGH_WARN, "unknown-rate", .line = line},
                      "the link rate \"%s\" is unknown; ports with it have an unknown rate", text);
}

bool bough_parsed_rate(bough_parsed_port *port, bough_slice width, bough_slice speed) {
    uint64_t lane = 0;
    for (size_t s = 0; s < sizeof speeds / sizeof *speeds; s++)
        if (bough_slice_is(speed, speeds[s].name)) lane = speeds[s].lane;
    port->own.width = parse_width(width);
    port->own.rate = port->own.width * lane;
    bool none = bough_slice_is(speed, "???"); /* no speed is active */
    port->own.speed[0] = 0;
    if (!none) bough_copy_printable(speed.text, speed.length, port->own.speed, sizeof port->own.speed);
    return port->own.rate > 0;
}

bool bough_parsed_set_rate(bough_parsed_fabric *parsed, bough_parsed_port *port, bough_slice width,
                           bough_slice speed) {
    if (bough_parsed_rate(port, width, speed)) return true;
    /* A port without a cable has no speed; everything else is irregular. */
    if (port->cabled || !bough_slice_is(speed, "???")) log_unknown_rate(parsed, port->line, width, speed);
    return false;
}

void bough_parsed_expect(bough_parsed_fabric *parsed, uint64_t nodes, uint64_t ports) {
    arena_grow(parsed->kept, &parsed->node, nodes, sizeof *parsed->node, NULL);
    arena_grow(&parsed->memory, &parsed->line, nodes, sizeof *parsed->line, NULL);
    arena_grow(&parsed->memory, &parsed->port, ports, sizeof *parsed->port, NULL);
}

bough_status bough_parsed_add_node(bough_parsed_fabric *parsed, const bough_parsed_node *node,
                                   uint32_t *index) {
    const size_t need = parsed->node_count + 1;
    char *description = NULL;
    bough_status status = arena_grow(parsed->kept, &parsed->node, need, sizeof *parsed->node, parsed->error);
    TRY(arena_grow(&parsed->memory, &parsed->line, need, sizeof *parsed->line, parsed->error));
    TRY(arena_copy_bytes(parsed->kept, &description, node->description.text, node->description.length,
                         parsed->error));
    if (status) return status;
    bough_fabric_node *n = &parsed->node[parsed->node_count];
    *n = node->own;
    n->description = description;
    n->aggregation = n->kind == BOUGH_FABRIC_ADAPTER && strstr(description, "Aggregation Node");
    parsed->line[parsed->node_count] = node->line;
    *index = (uint32_t)parsed->node_count++;
    return BOUGH_OK;
}

bough_status bough_parsed_add_port(bough_parsed_fabric *parsed, const bough_parsed_port *port) {
    bough_status status = arena_grow(&parsed->memory, &parsed->port, parsed->port_count + 1,
                                     sizeof *parsed->port, parsed->error);
    if (status) return status;
    bough_parsed_port *added = &parsed->port[parsed->port_count++];
    *added = *port;
    added->own.peer = added->peer_node = BOUGH_NO_INDEX;
    return BOUGH_OK;
}
