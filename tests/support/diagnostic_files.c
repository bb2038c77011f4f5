#include "support/diagnostic_files.h"

#include "base/text/text.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *name, *nominal, *signal;
    unsigned code;
} speeds[] = {
    {"SDR", "2.5", "2.5 Gbps", 1},          {"DDR", "5", "5.0 Gbps", 2},
    {"QDR", "10", "10.0 Gbps", 4},          {"FDR10", "FDR10", "10.0 Gbps (FDR10)", 65536},
    {"FDR", "14", "14.0625 Gbps", 256},     {"EDR", "25", "25.78125 Gbps", 512},
    {"HDR", "50", "53.125 Gbps", 1024},     {"NDR", "100", "106.25 Gbps", 2048},
    {"XDR", "200", "212.5 Gbps", 16777216},
};

static size_t speed_of(const bough_fabric_port *p) {
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
        if (strcmp(p->speed, speeds[i].name) == 0) return i;
    fail_msg("no speed %s", p->speed);
    return 0;
}

static bool is_switch(const bough_fabric *f, const bough_fabric_port *p) {
    return f->node[p->node].kind == BOUGH_FABRIC_SWITCH;
}

static uint32_t lid_of(const bough_fabric *f, const bough_fabric_port *p) {
    return is_switch(f, p) ? f->node[p->node].lid : p->lid;
}

static uint64_t port_guid(const bough_fabric *f, const bough_fabric_port *p) {
    return is_switch(f, p) ? f->node[p->node].guid : p->guid;
}

static char *taken(bough_text *text) {
    char *string = bough_text_take(text);
    assert_non_null(string);
    return string;
}

/* ---- opensm-subnet.lst ---- */

static void put_end(bough_text *out, const bough_fabric *f, const bough_fabric_port *p) {
    static const char *const kinds[] = {"SW", "CA", "RTR"};
    const bough_fabric_node *n = &f->node[p->node];
    bough_text_printf(out,
                      "{ %s%s Ports:%02X SystemGUID:%016" PRIx64 " NodeGUID:%016" PRIx64
                      " PortGUID:%016" PRIx64
                      " VenID:000002C9 DevID:1003 Rev:00000000 {%s} LID:%04X PN:%02X } ",
                      kinds[n->kind], p->node == 0 ? "-SM" : "", n->ports_declared, n->guid, n->guid,
                      port_guid(f, p), n->description, lid_of(f, p), p->number);
}

char *write_subnet_list(const bough_fabric *f, bool both) {
    bough_text out = {0};
    bough_text_put(&out, "# a comment\n");
    for (uint32_t i = 0; i < f->port_count; i++) {
        const bough_fabric_port *p = &f->port[i];
        if (p->peer == BOUGH_NO_INDEX || (!both && p->peer < i)) continue;
        put_end(&out, f, p);
        put_end(&out, f, &f->port[p->peer]);
        bough_text_printf(&out, "PHY=%ux LOG=ACT SPD=%s\n", p->width, speeds[speed_of(p)].nominal);
    }
    return taken(&out);
}

/* ---- iblinkinfo ---- */

static void put_peer(bough_text *out, const bough_fabric *f, const bough_fabric_port *p, bool lines) {
    if (p->peer == BOUGH_NO_INDEX) {
        bough_text_put(out, "(                Down/ Polling)==>             [  ] \"\" ( )\n");
        return;
    }
    const bough_fabric_port *q = &f->port[p->peer];
    bough_text_printf(out, "( %uX %18s Active/  LinkUp)==>  ", p->width, speeds[speed_of(p)].signal);
    if (lines) bough_text_printf(out, "0x%016" PRIx64 " ", port_guid(f, q));
    bough_text_printf(out, "%6u %4u[  ] \"%s\" ( Could be 53.125 Gbps)\n", lid_of(f, q), q->number,
                      f->node[q->node].description);
}

char *write_link_info(const bough_fabric *f, bool lines) {
    bough_text out = {0};
    for (uint32_t i = 0; i < f->port_count; i++) {
        const bough_fabric_port *p = &f->port[i];
        const bough_fabric_node *n = &f->node[p->node];
        bool first = !i || p[-1].node != p->node;
        if (!lines && first && is_switch(f, p))
            bough_text_printf(&out, "Switch: 0x%016" PRIx64 " %s:\n", n->guid, n->description);
        else if (!lines && first)
            bough_text_printf(&out, "%s: %s:\n", n->kind == BOUGH_FABRIC_ROUTER ? "Router" : "CA",
                              n->description);
        if (lines)
            bough_text_printf(&out, "0x%016" PRIx64 " \"%30s\" ", port_guid(f, p), n->description);
        else if (is_switch(f, p))
            bough_text_put(&out, "      ");
        else
            bough_text_printf(&out, "      0x%016" PRIx64 " ", p->guid);
        bough_text_printf(&out, "%6u %4u[  ] ==", lid_of(f, p), p->number);
        put_peer(&out, f, p, lines);
    }
    return taken(&out);
}

/* ---- ibdiagnet2.db_csv ---- */

static void put_nodes(bough_text *out, const bough_fabric *f, bool other) {
    static const int type[] = {2, 1, 3};
    bough_text_printf(
        out, "START_NODES\n%s\n",
        other ? "NODEGUID,LocalPortNum,NodeType,NodeDesc,NumPorts,VendorID"
              : "NodeDesc,NumPorts,NodeType,ClassVersion,BaseVersion,SystemImageGUID,NodeGUID,PortGUID");
    for (uint32_t i = 0; i < f->node_count; i++) {
        const bough_fabric_node *n = &f->node[i];
        if (other)
            bough_text_printf(out, "0x%016" PRIx64 " , 1 , %d , \"%s\" , %u , 713\n", n->guid, type[n->kind],
                              n->description, n->ports_declared);
        else
            bough_text_printf(out, "\"%s\",%u,%d,1,1,0x%016" PRIx64 ",0x%016" PRIx64 ",0x%016" PRIx64 "\n",
                              n->description, n->ports_declared, type[n->kind], n->guid, n->guid, n->guid);
    }
    bough_text_put(out, "END_NODES\n\n");
}

static unsigned width_code(unsigned width) {
    return width == 12 ? 8 : width == 8 ? 4 : width == 4 ? 2 : width == 2 ? 16 : width;
}

static void put_port(bough_text *out, uint64_t node, const bough_fabric_port *p, uint32_t lid) {
    unsigned speed = p->speed[0] ? speeds[speed_of(p)].code : 0;
    bough_text_printf(out, "0x%016" PRIx64 ",0x%016" PRIx64 ",%u,0x0,%u,%u,4,%u,%u,%d,N/A\n", node, p->guid,
                      p->number, lid, width_code(p->width), speed, p->lmc, p->peer == BOUGH_NO_INDEX ? 1 : 4);
}

static void put_ports(bough_text *out, const bough_fabric *f) {
    bough_text_put(out,
                   "START_PORTS\nNodeGuid,PortGuid,PortNum,MKey,LID,LinkWidthActv,LinkSpeedEn,LinkSpeedActv,"
                   "LMC,PortState,CapMsk2\n");
    for (uint32_t n = 0; n < f->node_count; n++) {
        const bough_fabric_node *node = &f->node[n];
        if (node->kind == BOUGH_FABRIC_SWITCH)
            put_port(out, node->guid, &(bough_fabric_port){.guid = node->guid, .lmc = node->lmc}, node->lid);
        uint32_t first, count;
        bough_fabric_ports(f, n, &first, &count);
        for (uint32_t i = first; i < first + count; i++)
            put_port(out, node->guid, &f->port[i], f->port[i].lid);
    }
    bough_text_put(out, "END_PORTS\n\n");
}

static void put_links(bough_text *out, const bough_fabric *f, bool both) {
    bough_text_put(out, "START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n");
    for (uint32_t i = 0; i < f->port_count; i++) {
        const bough_fabric_port *p = &f->port[i];
        if (p->peer == BOUGH_NO_INDEX || (!both && p->peer < i)) continue;
        const bough_fabric_port *q = &f->port[p->peer];
        bough_text_printf(out, "0x%016" PRIx64 ",%u,0x%016" PRIx64 ",%u\n", f->node[p->node].guid, p->number,
                          f->node[q->node].guid, q->number);
    }
    bough_text_put(out, "END_LINKS\n\n");
}

char *write_db_csv(const bough_fabric *f, bool other) {
    bough_text out = {0};
    bough_text_put(&out, "# This is a made file\n\n");
    if (other) put_links(&out, f, true);
    if (other) bough_text_put(&out, "START_SWITCHES\nNodeGUID,LinearFDBCap\n0x1,49152,1\nEND_SWITCHES\n");
    if (other) put_ports(&out, f);
    put_nodes(&out, f, other);
    if (!other) put_ports(&out, f);
    if (!other) put_links(&out, f, false);
    return taken(&out);
}

/* ---- comparison ---- */

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Joins lines in ascending order; frees them. */
static char *sorted(char **line, size_t count) {
    bough_text out = {0};
    qsort(line, count, sizeof *line, by_text);
    bough_text_put(&out, "");
    for (size_t i = 0; i < count; i++) bough_text_put(&out, line[i]), free(line[i]);
    free(line);
    return taken(&out);
}

static void put_place(bough_text *out, const bough_fabric *f, const bough_fabric_port *p) {
    if (is_switch(f, p))
        bough_text_printf(out, "%016" PRIx64, f->node[p->node].guid);
    else
        bough_text_printf(out, "LID %u", p->lid);
    bough_text_printf(out, ":%u (%s)", p->number, f->node[p->node].description);
}

char *cables_of(const bough_fabric *f) {
    char **line = calloc(f->port_count + 1, sizeof *line);
    size_t count = 0;
    assert_non_null(line);
    for (uint32_t i = 0; i < f->port_count; i++) {
        const bough_fabric_port *p = &f->port[i];
        if (p->peer == BOUGH_NO_INDEX) continue;
        bough_text out = {0};
        put_place(&out, f, p);
        bough_text_put(&out, " - ");
        put_place(&out, f, &f->port[p->peer]);
        bough_text_printf(&out, " %ux%s %" PRIu64 "\n", p->width, p->speed, p->rate);
        line[count++] = taken(&out);
    }
    return sorted(line, count);
}

char *nodes_of(const bough_fabric *f) {
    char **line = calloc(f->node_count + 1, sizeof *line);
    size_t count = 0;
    assert_non_null(line);
    for (uint32_t n = 0; n < f->node_count; n++) {
        const bough_fabric_node *node = &f->node[n];
        uint32_t first, ports, cables = 0;
        bough_text out = {0};
        bough_fabric_ports(f, n, &first, &ports);
        for (uint32_t i = first; i < first + ports; i++) cables += f->port[i].peer != BOUGH_NO_INDEX;
        if (!cables) continue;
        bough_text_printf(&out, "%d %016" PRIx64 " %s (%s) LID %u, %u of %u ports\n", (int)node->kind,
                          node->guid, node->name, node->description, node->lid, cables, node->ports_declared);
        line[count++] = taken(&out);
    }
    return sorted(line, count);
}
