#include "support/fabric_texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

void fabric_all_refused(const fabric_bad *bad, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bough_fabric f;
        bough_error error = {0};
        if (bough_fabric_parse("f", bad[i].text, strlen(bad[i].text), &f, &error) != BOUGH_INVALID)
            fail_msg("case %zu was taken: %s", i, bad[i].text);
        if (!strstr(error.reason, bad[i].reason) || strcmp(error.place, bad[i].place) != 0)
            fail_msg("case %zu: '%s: %s', not '%s: %s'", i, error.place, error.reason, bad[i].place,
                     bad[i].reason);
        assert_null(f.node);
        assert_int_equal(f.findings.count, 0);
    }
}

void fabric_good(const char *text, bough_fabric *fabric) {
    bough_error error = {0};
    if (bough_fabric_parse("f", text, strlen(text), fabric, &error))
        fail_msg("%s: %s", error.place, error.reason);
}

bough_fabric fabric_from(const char *text) {
    bough_fabric f;
    fabric_good(text, &f);
    return f;
}

bough_net *fabric_net_from(const char *text, const char *order) {
    bough_fabric f = fabric_from(text);
    bough_fabric_options options = {.order = order};
    bough_net *net;
    bough_error error;
    if (bough_net_from_fabric(&f, &options, "made", &net, &error))
        fail_msg("%s: %s", error.place, error.reason);
    return net;
}

size_t fabric_findings(const bough_fabric *fabric, const char *kind, bough_severity severity) {
    size_t n = 0;
    for (size_t i = 0; i < fabric->findings.count; i++) {
        const bough_finding *f = &fabric->findings.item[i];
        n += strcmp(f->kind, kind) == 0 && f->severity == severity;
    }
    return n;
}

const bough_finding *fabric_finding(const bough_fabric *fabric, const char *kind) {
    for (size_t i = 0; i < fabric->findings.count; i++)
        if (strcmp(fabric->findings.item[i].kind, kind) == 0) return &fabric->findings.item[i];
    fail_msg("no finding %s", kind);
    return NULL;
}

const bough_fabric_port *fabric_port(const bough_fabric *f, uint32_t node, uint32_t number) {
    uint32_t i = bough_fabric_port_find(f, node, number);
    if (i == BOUGH_NO_INDEX) fail_msg("no port %u of node %u", number, node);
    return &f->port[i];
}

uint32_t fabric_node(const bough_fabric *f, const char *name) {
    for (uint32_t n = 0; n < f->node_count; n++)
        if (strcmp(f->node[n].name, name) == 0) return n;
    fail_msg("no node %s", name);
    return 0;
}

void fabric_check_shape(const bough_fabric *f) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < f->port_count; i++) {
        const bough_fabric_port *p = &f->port[i];
        assert_true(p->node < f->node_count && p->number >= 1 && p->number <= 254);
        if (i) assert_true(p[-1].node < p->node || (p[-1].node == p->node && p[-1].number < p->number));
        if (p->peer != BOUGH_NO_INDEX) {
            assert_true(p->peer < f->port_count && p->peer != i);
            assert_int_equal(f->port[p->peer].peer, i);
        }
        assert_int_equal(bough_fabric_port_find(f, p->node, p->number), i);
    }
    for (uint32_t n = 0; n < f->node_count; n++) {
        uint32_t first, count;
        bough_fabric_ports(f, n, &first, &count);
        assert_int_equal(first, total);
        total += count;
        assert_non_null(f->node[n].description);
        size_t length = strlen(f->node[n].name);
        assert_true(length > 0 && length < 96);
        assert_true(f->node[n].name[0] != ' ' && f->node[n].name[length - 1] != ' ');
        for (uint32_t m = 0; m < n && f->node_count < 500; m++)
            assert_string_not_equal(f->node[m].name, f->node[n].name);
    }
    assert_int_equal(total, f->port_count);
}
