/* The recorded fabrics of shared/data, and what is none there. */
#include "support/fabric_texts.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* hosts: adapter ports with a cable; cables: between switches. */
static void count(const bough_fabric *f, uint32_t *hosts, uint32_t *aggregation, uint32_t *switches,
                  uint32_t *cables) {
    *hosts = *aggregation = *switches = *cables = 0;
    for (uint32_t n = 0; n < f->node_count; n++) *switches += f->node[n].kind == BOUGH_FABRIC_SWITCH;
    for (uint32_t i = 0; i < f->port_count; i++) {
        const bough_fabric_port *p = &f->port[i];
        if (p->peer == BOUGH_NO_INDEX) continue;
        if (f->node[p->node].kind == BOUGH_FABRIC_SWITCH) {
            *cables += p->peer > i && f->node[f->port[p->peer].node].kind == BOUGH_FABRIC_SWITCH;
        } else {
            ++*hosts;
            *aggregation += f->node[p->node].aggregation;
        }
    }
}

static void recorded(void **state) {
    (void)state;
    static const struct {
        const char *file, *format;
        uint32_t hosts, aggregation, switches, cables;
    } cases[] = {
        {"fabrics/dgx-ndr.ibnetdiscover", "ibnetdiscover", 582, 40, 40, 532},
        {"fabrics/dgx-ndr.opensm.ibnetdiscover", "ibnetdiscover", 582, 40, 40, 532},
        {"fabrics/psmn-x5.ibnetdiscover", "ibnetdiscover", 89, 0, 11, 70},
        {"fabrics/psmn-x5.opensm.ibnetdiscover", "ibnetdiscover", 89, 0, 11, 70},
        {"fabrics/avakas.ports", "ibnetdiscover -p", 281, 0, 25, 288},
        {"fabrics/plafrim2-a.ports", "ibnetdiscover -p", 96, 0, 7, 59},
        {"fabrics/plafrim2-b.ports", "ibnetdiscover -p", 23, 0, 1, 0},
        {"fabrics/monch.orcs.dot", "orcs", 393, 0, 41, 413},
        {"ibsim/ft2-16.ibnetdiscover", "ibnetdiscover", 16, 0, 8, 16},
        {"ibsim/ft3-16.ibnetdiscover", "ibnetdiscover", 16, 0, 20, 32},
        {"ibsim/ft3-16.ports", "ibnetdiscover -p", 16, 0, 20, 32},
        {"ibsim/ft3-16.subnet.lst", "lst", 16, 0, 20, 32},
        {"ibsim/ft2-128.ibnetdiscover", "ibnetdiscover", 128, 0, 24, 128},
        {"ibsim/ft3-128.ibnetdiscover", "ibnetdiscover", 128, 0, 80, 256},
        {"ibsim/ft3-128-cut5.ibnetdiscover", "ibnetdiscover", 128, 0, 80, 251},
        {"ibsim/ft2-1024.ibnetdiscover.gz", "ibnetdiscover", 1024, 0, 48, 1024},
        {"ibsim/ft3-1024.ibnetdiscover.gz", "ibnetdiscover", 1024, 0, 320, 2048},
        {"ibsim/ft2-16.net", "ibnetdiscover", 16, 0, 8, 16},
        {"ibsim/ft3-16.net", "ibnetdiscover", 16, 0, 20, 32},
        {"ibsim/ft2-128.net", "ibnetdiscover", 128, 0, 24, 128},
        {"ibsim/ft3-128.net", "ibnetdiscover", 128, 0, 80, 256},
        {"ibsim/ft3-128-cut5.net", "ibnetdiscover", 128, 0, 80, 251},
        {"ibsim/ft2-1024.net.gz", "ibnetdiscover", 1024, 0, 48, 1024},
        {"ibsim/ft3-1024.net.gz", "ibnetdiscover", 1024, 0, 320, 2048},
    };
    if (access(SHARED_DATA "/README.md", R_OK)) skip();
    for (size_t i = 0; i < COUNT(cases); i++) {
        char path[1024];
        bough_fabric f;
        bough_error error = {0};
        uint32_t hosts, aggregation, switches, cables;
        snprintf(path, sizeof path, "%s/%s", SHARED_DATA, cases[i].file);
        if (bough_fabric_read_file(&(bough_fabric_file){path}, &f, &error))
            fail_msg("%s: %s", error.place, error.reason);
        count(&f, &hosts, &aggregation, &switches, &cables);
        if (hosts != cases[i].hosts || aggregation != cases[i].aggregation || switches != cases[i].switches ||
            cables != cases[i].cables || strcmp(f.format, cases[i].format))
            fail_msg("%s: %s, %u hosts (%u aggregation), %u switches, %u cables", path, f.format, hosts,
                     aggregation, switches, cables);
        fabric_check_shape(&f);
        /* These were recorded whole: nothing is wrong with them (netlists have no LIDs yet). */
        for (size_t k = 0; k < f.findings.count; k++) {
            const bough_finding *x = &f.findings.item[k];
            if (x->severity != BOUGH_INFO && !(strstr(path, ".net") && !strcmp(x->kind, "no-lid")))
                fail_msg("%s: %s: %s", x->where, x->kind, x->text);
        }
        bough_fabric_fini(&f);
    }
}

/* -p shows the same fabric as the plain format does. */
static void same_fabric(void **state) {
    (void)state;
    if (access(SHARED_DATA "/README.md", R_OK)) skip();
    bough_fabric f, g;
    assert_int_equal(
        bough_fabric_read_file(&(bough_fabric_file){SHARED_DATA "/ibsim/ft3-16.ibnetdiscover"}, &f, NULL),
        BOUGH_OK);
    assert_int_equal(
        bough_fabric_read_file(&(bough_fabric_file){SHARED_DATA "/ibsim/ft3-16.ports"}, &g, NULL), BOUGH_OK);
    for (uint32_t i = 0; i < f.port_count; i++) {
        const bough_fabric_port *p = &f.port[i], *q, *pp = &f.port[p->peer], *qq;
        q = fabric_port(&g, fabric_node(&g, f.node[p->node].name), p->number);
        qq = &g.port[q->peer];
        assert_string_equal(f.node[pp->node].name, g.node[qq->node].name);
        assert_int_equal(pp->number, qq->number);
        assert_int_equal(p->lid, q->lid);
        assert_int_equal(p->guid, q->guid);
        assert_int_equal(p->rate, q->rate);
        assert_int_equal(f.node[p->node].lid, g.node[q->node].lid);
    }
    bough_fabric_fini(&f);
    bough_fabric_fini(&g);
}

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* Everything else in those folders is no fabric, and is refused with a place. */
static void others_refused(void **state) {
    (void)state;
    static const char *const folders[] = {"fabrics", "ibsim", "goal", "ai", "matrices"};
    static const char *const fabrics[] = {".ibnetdiscover", ".ibnetdiscover.gz", ".ports",     ".orcs.dot",
                                          ".net",           ".net.gz",           ".subnet.lst"};
    if (access(SHARED_DATA "/README.md", R_OK)) skip();
    unsigned refused = 0;
    for (size_t d = 0; d < COUNT(folders); d++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", SHARED_DATA, folders[d]);
        DIR *dir = opendir(path);
        assert_non_null(dir);
        for (struct dirent *e; (e = readdir(dir));) {
            bool is_fabric = e->d_name[0] == '.';
            for (size_t k = 0; k < COUNT(fabrics); k++) is_fabric |= ends_with(e->d_name, fabrics[k]);
            if (is_fabric) continue;
            bough_fabric f;
            bough_error error = {0};
            snprintf(path, sizeof path, "%s/%s/%s", SHARED_DATA, folders[d], e->d_name);
            if (bough_fabric_read_file(&(bough_fabric_file){path}, &f, &error) != BOUGH_INVALID)
                fail_msg("%s is taken for a fabric", path);
            assert_non_null(strstr(error.reason, "is not a fabric file"));
            assert_non_null(strstr(error.place, e->d_name));
            assert_non_null(strchr(error.place, ':'));
            refused++;
        }
        closedir(dir);
    }
    assert_true(refused > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded),
        cmocka_unit_test(same_fabric),
        cmocka_unit_test(others_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
