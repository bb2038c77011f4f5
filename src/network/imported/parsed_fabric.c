#include "network/imported/parsed_fabric.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/utf8.h"

#include <stdlib.h>
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
static const uint16_t widths[] = {1, 2, 4, 8, 12};

static bool same(const char *text, size_t length, const char *name) {
    return strlen(name) == length && memcmp(text, name, length) == 0;
}

static uint16_t parse_width(const char *text, size_t length) {
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        char name[8];
        size_t n = 0;
        if (widths[w] >= 10) name[n++] = (char)('0' + widths[w] / 10);
        name[n++] = (char)('0' + widths[w] % 10);
        name[n++] = 'x';
        name[n] = 0;
        if (same(text, length, name)) return widths[w];
    }
    return 0;
}

/* Adds one finding per text, for any number of ports. */
static void odd_rate(bough_parsed_fabric *parsed, const bough_parsed_port *port, const char *width,
                     size_t width_length, const char *speed, size_t speed_length) {
    char text[32];
    size_t used = bough_copy_printable(width, width_length, text, sizeof text);
    bough_copy_printable(speed, speed_length, text + used, sizeof text - used);
    for (size_t i = 0; i < parsed->odd_rates; i++)
        if (strcmp(parsed->odd_rate[i], text) == 0) return;
    if (parsed->odd_rates < BOUGH_FINDINGS_OF_A_KIND)
        memcpy(parsed->odd_rate[parsed->odd_rates++], text, sizeof text);
    bough_log_finding(&parsed->log,
                      &(bough_finding_head){BOUGH_WARN, "unknown-rate", parsed->name, port->line},
                      "the link rate \"%s\" is unknown; ports with it have an unknown rate", text);
}

bool bough_parsed_set_rate(bough_parsed_fabric *parsed, bough_parsed_port *port, const char *width,
                           size_t width_length, const char *speed, size_t speed_length) {
    uint64_t lane = 0;
    for (size_t s = 0; s < sizeof speeds / sizeof *speeds; s++)
        if (same(speed, speed_length, speeds[s].name)) lane = speeds[s].lane;
    port->own.width = parse_width(width, width_length);
    port->own.rate = port->own.width * lane;
    bool none = same(speed, speed_length, "???"); /* no speed is active */
    port->own.speed[0] = 0;
    if (!none) bough_copy_printable(speed, speed_length, port->own.speed, sizeof port->own.speed);
    if (port->own.rate) return true;
    /* A port without a cable has no speed; everything else is irregular. */
    if (port->cabled || !none) odd_rate(parsed, port, width, width_length, speed, speed_length);
    return false;
}

bough_status bough_parsed_add_node(bough_parsed_fabric *parsed, bough_fabric_kind kind, uint64_t guid,
                                   const char *description, size_t length, uint32_t line, uint32_t *index,
                                   bough_error *error) {
    size_t need = parsed->node_count + 1;
    bough_status status =
        bough_grow(&parsed->node, &parsed->node_capacity, need, sizeof *parsed->node, error);
    TRY(bough_grow(&parsed->line, &parsed->line_capacity, need, sizeof *parsed->line, error));
    if (status) return status;
    bough_fabric_node *n = &parsed->node[parsed->node_count];
    *n = (bough_fabric_node){.kind = kind, .guid = guid};
    status = bough_alloc(&n->description, (uint64_t)length + 1, 1, error);
    if (status) return status;
    if (length) memcpy(n->description, description, length);
    n->aggregation = kind == BOUGH_FABRIC_ADAPTER && strstr(n->description, "Aggregation Node");
    parsed->line[parsed->node_count] = line;
    *index = (uint32_t)parsed->node_count++;
    return BOUGH_OK;
}

bough_status bough_parsed_add_port(bough_parsed_fabric *parsed, uint32_t node, uint32_t number, uint32_t line,
                                   bough_parsed_port **port, bough_error *error) {
    bough_status status = bough_grow(&parsed->port, &parsed->port_capacity, parsed->port_count + 1,
                                     sizeof *parsed->port, error);
    if (status) return status;
    *port = &parsed->port[parsed->port_count++];
    **port = (bough_parsed_port){.own = {.node = node, .number = number, .peer = BOUGH_NO_INDEX},
                                 .line = line,
                                 .peer_node = BOUGH_NO_INDEX};
    return BOUGH_OK;
}

void bough_parsed_fini(bough_parsed_fabric *parsed) {
    if (!parsed) return;
    for (size_t i = 0; i < parsed->node_count; i++) free(parsed->node[i].description);
    free(parsed->node);
    free(parsed->line);
    free(parsed->port);
    for (int k = 0; k < 3; k++) bough_index_map_fini(&parsed->guids[k]);
    *parsed = (bough_parsed_fabric){0};
}
