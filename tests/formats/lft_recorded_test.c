/* The recorded forwarding tables of shared/data, followed hop by hop for all pairs of hosts. */
#include "formats/tables/lft_tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

typedef struct recording {
    bough_fabric fabric;
    bough_tables tables;
    bough_findings findings;
    bough_error error;
} recording;

static bool has(const bough_findings *findings, const char *kind) {
    for (size_t i = 0; i < findings->count; i++)
        if (strcmp(findings->item[i].kind, kind) == 0) return true;
    return false;
}

typedef struct walk {
    uint64_t pairs, arrive, other, no_entry, dead, loop;
} walk;

/* From the switch behind port at: the port that the packet for lid reaches, or why it does not. */
static uint32_t follow(const bough_fabric *f, const bough_tables *t, uint32_t at, uint32_t lid, walk *w) {
    for (int hops = 0; hops < 64; hops++) {
        uint32_t node = f->port[at].node;
        if (f->node[node].kind != BOUGH_FABRIC_SWITCH) return at;
        uint8_t out = t->port[node] ? t->port[node][lid] : BOUGH_NO_PORT;
        if (out == BOUGH_NO_PORT) {
            w->no_entry++;
            return BOUGH_NO_INDEX;
        }
        uint32_t port = bough_fabric_port_find(f, node, out);
        if (port == BOUGH_NO_INDEX || f->port[port].peer == BOUGH_NO_INDEX) {
            w->dead++;
            return BOUGH_NO_INDEX;
        }
        at = f->port[port].peer;
    }
    w->loop++;
    return BOUGH_NO_INDEX;
}

static walk walk_all(const bough_fabric *f, const bough_tables *t) {
    walk w = {0};
    uint32_t *host = malloc((f->port_count + 1) * sizeof *host), hosts = 0;
    assert_non_null(host);
    for (uint32_t i = 0; i < f->port_count; i++)
        if (f->node[f->port[i].node].kind != BOUGH_FABRIC_SWITCH && f->port[i].peer != BOUGH_NO_INDEX)
            host[hosts++] = i;
    for (uint32_t s = 0; s < hosts; s++)
        for (uint32_t d = 0; d < hosts; d++) {
            if (s == d) continue;
            w.pairs++;
            uint32_t end = follow(f, t, f->port[host[s]].peer, f->port[host[d]].lid, &w);
            if (end == host[d]) w.arrive++;
            if (end != host[d] && end != BOUGH_NO_INDEX) w.other++;
        }
    free(host);
    return w;
}

static void recorded(void **state) {
    (void)state;
    static const struct {
        const char *fabric, *tables;
        uint64_t pairs, arrive, other, no_entry;
        const char *kind; /* of a finding that is due: but for it there are none, or only infos */
    } cases[] = {
        {"fabrics/avakas.ports", "fabrics/avakas.ibroute.gz", 78680, 78680, 0, 0, "tool-message"},
        {"fabrics/plafrim2-a.ports", "fabrics/plafrim2-a.ibroute", 9120, 7005, 20, 2095, "guid-mismatch"},
        {"fabrics/plafrim2-b.ports", "fabrics/plafrim2-b.ibroute", 506, 506, 0, 0, NULL},
        {"fabrics/monch.orcs.dot", NULL, 154056, 154056, 0, 0, NULL},
        {"fabrics/psmn-x5.opensm.ibnetdiscover", "fabrics/psmn-x5.opensm-ftree.lfts.gz", 7832, 7832, 0, 0,
         NULL},
        {"fabrics/psmn-x5.opensm.ibnetdiscover", "fabrics/psmn-x5.opensm-updn.lfts.gz", 7832, 7832, 0, 0,
         NULL},
        {"fabrics/psmn-x5.opensm.ibnetdiscover", "fabrics/psmn-x5.opensm-minhop.lfts.gz", 7832, 7832, 0, 0,
         NULL},
        {"fabrics/dgx-ndr.opensm.ibnetdiscover", "fabrics/dgx-ndr.opensm-ftree.lfts.gz", 338142, 337972, 0,
         170, NULL},
        {"fabrics/dgx-ndr.opensm.ibnetdiscover", "fabrics/dgx-ndr.opensm-updn.lfts.gz", 338142, 337710, 0,
         432, NULL},
        {"fabrics/dgx-ndr.opensm.ibnetdiscover", "fabrics/dgx-ndr.opensm-minhop.lfts.gz", 338142, 338142, 0,
         0, NULL},
        /* of another state than the recorded fabric: LIDs agree by luck, port GUIDs do not */
        {"fabrics/dgx-ndr.ibnetdiscover", "fabrics/dgx-ndr.opensm-minhop.lfts.gz", 338142, 338142, 0, 0,
         "guid-mismatch"},
        {"ibsim/ft2-16.ibnetdiscover", "ibsim/ft2-16.ftree.lfts", 240, 240, 0, 0, NULL},
        {"ibsim/ft2-16.ibnetdiscover", "ibsim/ft2-16.updn.lfts", 240, 240, 0, 0, NULL},
        {"ibsim/ft2-16.ibnetdiscover", "ibsim/ft2-16.minhop.lfts", 240, 240, 0, 0, NULL},
        {"ibsim/ft2-16.ibnetdiscover", "ibsim/ft2-16.dfsssp.lfts", 240, 240, 0, 0, NULL},
        {"ibsim/ft3-16.ibnetdiscover", "ibsim/ft3-16.ftree.lfts", 240, 240, 0, 0, NULL},
        {"ibsim/ft3-16.ibnetdiscover", "ibsim/ft3-16.updn.lfts", 240, 240, 0, 0, NULL},
        {"ibsim/ft3-16.ibnetdiscover", "ibsim/ft3-16.minhop.lfts", 240, 240, 0, 0, NULL},
        {"ibsim/ft3-16.ibnetdiscover", "ibsim/ft3-16.dnup.lfts", 240, 240, 0, 0, NULL},
        {"ibsim/ft3-16.ibnetdiscover", "ibsim/ft3-16.dor.lfts", 240, 240, 0, 0, NULL},
        {"ibsim/ft3-16.ibnetdiscover", "ibsim/ft3-16.lash.lfts", 240, 240, 0, 0, NULL},
        {"ibsim/ft3-16.ibnetdiscover", "ibsim/ft3-16.sssp.lfts", 240, 240, 0, 0, NULL},
        {"ibsim/ft3-16.ibnetdiscover", "ibsim/ft3-16.dfsssp.lfts", 240, 240, 0, 0, NULL},
        {"ibsim/ft3-16.ibnetdiscover", "ibsim/ft3-16.nue.lfts", 240, 240, 0, 0, NULL},
        {"ibsim/ft3-16.ibnetdiscover", "ibsim/ft3-16.ftree.fdbs", 240, 240, 0, 0, NULL},
        {"ibsim/ft3-16.ports", "ibsim/ft3-16.ftree.dump_fts", 240, 240, 0, 0, NULL},
        {"ibsim/ft2-128.ibnetdiscover", "ibsim/ft2-128.ftree.lfts.gz", 16256, 16256, 0, 0, NULL},
        {"ibsim/ft2-128.ibnetdiscover", "ibsim/ft2-128.updn.lfts.gz", 16256, 16256, 0, 0, NULL},
        {"ibsim/ft2-128.ibnetdiscover", "ibsim/ft2-128.minhop.lfts.gz", 16256, 16256, 0, 0, NULL},
        {"ibsim/ft3-128.ibnetdiscover", "ibsim/ft3-128.ftree.lfts.gz", 16256, 16256, 0, 0, NULL},
        {"ibsim/ft3-128.ibnetdiscover", "ibsim/ft3-128.updn.lfts.gz", 16256, 16256, 0, 0, NULL},
        {"ibsim/ft3-128.ibnetdiscover", "ibsim/ft3-128.minhop.lfts.gz", 16256, 16256, 0, 0, NULL},
        {"ibsim/ft3-128-cut5.ibnetdiscover", "ibsim/ft3-128-cut5.ftree.lfts.gz", 16256, 16256, 0, 0, NULL},
        {"ibsim/ft3-128-cut5.ibnetdiscover", "ibsim/ft3-128-cut5.updn.lfts.gz", 16256, 16256, 0, 0, NULL},
        {"ibsim/ft2-1024.ibnetdiscover.gz", "ibsim/ft2-1024.ftree.lfts.gz", 1047552, 1047552, 0, 0, NULL},
        {"ibsim/ft2-1024.ibnetdiscover.gz", "ibsim/ft2-1024.updn.lfts.gz", 1047552, 1047552, 0, 0, NULL},
        {"ibsim/ft3-1024.ibnetdiscover.gz", "ibsim/ft3-1024.ftree.lfts.gz", 1047552, 1047552, 0, 0, NULL},
        {"ibsim/ft3-1024.ibnetdiscover.gz", "ibsim/ft3-1024.updn.lfts.gz", 1047552, 1047552, 0, 0, NULL},
    };
    if (access(SHARED_DATA "/README.md", R_OK)) skip();
    for (size_t i = 0; i < COUNT(cases); i++) {
        recording x = {0};
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", SHARED_DATA, cases[i].fabric);
        if (bough_fabric_read_file(&(bough_fabric_file){path}, &x.fabric, &x.error))
            fail_msg("%s: %s", x.error.place, x.error.reason);
        if (cases[i].tables) {
            snprintf(path, sizeof path, "%s/%s", SHARED_DATA, cases[i].tables);
            if (bough_tables_read(&(bough_tables_file){path}, &x.fabric, &x.tables, &x.findings, &x.error))
                fail_msg("%s: %s", x.error.place, x.error.reason);
        }
        walk w = walk_all(&x.fabric, cases[i].tables ? &x.tables : x.fabric.tables);
        if (w.pairs != cases[i].pairs || w.arrive != cases[i].arrive || w.other != cases[i].other ||
            w.no_entry != cases[i].no_entry || w.dead || w.loop)
            fail_msg("%s: of %llu pairs %llu arrive, %llu at another host, %llu have no entry, %llu end, "
                     "%llu loop",
                     path, (unsigned long long)w.pairs, (unsigned long long)w.arrive,
                     (unsigned long long)w.other, (unsigned long long)w.no_entry, (unsigned long long)w.dead,
                     (unsigned long long)w.loop);
        if (cases[i].kind)
            assert_true(has(&x.findings, cases[i].kind));
        else
            assert_int_equal(x.findings.count, 0);
        bough_tables_fini(&x.tables);
        bough_findings_fini(&x.findings);
        bough_fabric_fini(&x.fabric);
    }
}

/* The same tables in three formats. */
static void same_tables(void **state) {
    (void)state;
    static const char *const files[] = {"/ibsim/ft3-16.ftree.lfts", "/ibsim/ft3-16.ftree.fdbs",
                                        "/ibsim/ft3-16.ftree.dump_fts"};
    if (access(SHARED_DATA "/README.md", R_OK)) skip();
    bough_fabric f;
    bough_tables t[3];
    bough_findings x = {0};
    assert_int_equal(
        bough_fabric_read_file(&(bough_fabric_file){SHARED_DATA "/ibsim/ft3-16.ibnetdiscover"}, &f, NULL),
        BOUGH_OK);
    for (int i = 0; i < 3; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s%s", SHARED_DATA, files[i]);
        assert_int_equal(bough_tables_read(&(bough_tables_file){path}, &f, &t[i], &x, NULL), BOUGH_OK);
        assert_int_equal(t[i].lids, 37);
    }
    for (uint32_t n = 0; n < f.node_count; n++)
        for (int i = 1; i < 3 && t[0].port[n]; i++) assert_memory_equal(t[0].port[n], t[i].port[n], 37);
    assert_int_equal(x.count, 0);
    for (int i = 0; i < 3; i++) bough_tables_fini(&t[i]);
    bough_fabric_fini(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(recorded), cmocka_unit_test(same_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
