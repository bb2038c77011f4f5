/* Any bytes as a fabric file: refused with one line, or a fabric whose parts fit together. */
#include "formats/fabrics/fabric.h"
#include "fuzz/must.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t used; /* so that no read is optimised away */

static void look_at_text(const char *text) {
    used += strlen(text);
    MUST(!strchr(text, '\n'));
}

static void look_at_nodes(const bough_fabric *f) {
    uint32_t total = 0;
    for (uint32_t n = 0; n < f->node_count; n++) {
        const bough_fabric_node *node = &f->node[n];
        uint32_t first, count;
        used += strlen(node->description);
        look_at_text(node->name);
        MUST(node->name[0] && node->name[0] != ' ' && node->name[strlen(node->name) - 1] != ' ');
        MUST(strlen(node->name) < sizeof node->name && node->lid <= 0xBFFF && node->lmc < 8);
        bough_fabric_ports(f, n, &first, &count);
        MUST(first == total);
        total += count;
    }
    MUST(total == f->port_count);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const bough_fabric_node *)a)->name, ((const bough_fabric_node *)b)->name);
}

static void look_at_names(const bough_fabric *f) {
    bough_fabric_node *sorted = malloc(f->node_count * sizeof *sorted);
    MUST(sorted);
    memcpy(sorted, f->node, f->node_count * sizeof *sorted);
    qsort(sorted, f->node_count, sizeof *sorted, by_name);
    for (uint32_t n = 1; n < f->node_count; n++) MUST(strcmp(sorted[n - 1].name, sorted[n].name) != 0);
    free(sorted);
}

static void look_at_ports(const bough_fabric *f) {
    for (uint32_t i = 0; i < f->port_count; i++) {
        const bough_fabric_port *p = &f->port[i];
        MUST(p->node < f->node_count && p->number >= 1 && p->number <= 254);
        MUST(!i || p[-1].node < p->node || (p[-1].node == p->node && p[-1].number < p->number));
        MUST(p->peer == BOUGH_NO_INDEX ||
             (p->peer < f->port_count && f->port[p->peer].peer == i && p->peer != i));
        MUST(p->lid <= 0xBFFF && p->lmc < 8 && strlen(p->speed) < sizeof p->speed);
        MUST(bough_fabric_port_find(f, p->node, p->number) == i);
        used += p->rate + p->width + p->guid;
    }
}

static void look_at_tables(const bough_fabric *f) {
    const bough_tables *t = f->tables;
    if (!t) return;
    MUST(t->nodes == f->node_count && t->lids > 0);
    for (uint32_t n = 0; n < t->nodes; n++) {
        if (!t->port[n]) continue;
        MUST(f->node[n].kind == BOUGH_FABRIC_SWITCH);
        for (uint32_t l = 0; l < t->lids; l++) {
            uint8_t out = t->port[n][l];
            MUST(out == BOUGH_NO_PORT || bough_fabric_port_find(f, n, out) != BOUGH_NO_INDEX);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bough_fabric f;
    bough_error error = {0};
    if (bough_fabric_parse("input", data, size, &f, &error)) {
        MUST(error.status && error.reason[0] && !f.node && !f.findings.count);
        look_at_text(error.reason);
        look_at_text(error.place);
        return 0;
    }
    MUST(f.node_count > 0);
    look_at_nodes(&f);
    look_at_names(&f);
    look_at_ports(&f);
    look_at_tables(&f);
    MUST(f.findings.count <= 32 * 21);
    for (size_t i = 0; i < f.findings.count; i++) {
        look_at_text(f.findings.item[i].kind);
        look_at_text(f.findings.item[i].where);
        look_at_text(f.findings.item[i].text);
    }
    bough_fabric_fini(&f);
    return 0;
}
