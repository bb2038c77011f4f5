/* Fabric files that are odd but readable: what is said of them, and what their nodes are called. */
#include "support/fabric_texts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- what is odd but readable ---- */

static void one_sided(void **state) {
    (void)state;
    bough_fabric f;
    /* B has a block but no line for its end; the adapter has its end's LID and GUID from the switch. */
    fabric_good(SWITCH_A TO_B(1, 2) "[2]\t\"H-0000000000000b00\"[1](b01) \t\t# \"n\" lid 8 4xEDR\n" SWITCH_B
                                    "Ca\t1 \"H-0000000000000b00\"\t\t# \"n\"\n",
                &f);
    assert_int_equal(f.port_count, 4);
    assert_int_equal(f.findings.count, 2);
    assert_int_equal(fabric_findings(&f, "one-sided-cable", BOUGH_WARN), 2);
    const bough_finding *x = fabric_finding(&f, "one-sided-cable");
    assert_string_equal(x->where, "f:2");
    assert_non_null(strstr(x->text, "A port 1 to B port 2"));
    assert_int_equal(fabric_port(&f, 1, 2)->peer, bough_fabric_port_find(&f, 0, 1));
    assert_int_equal(fabric_port(&f, 1, 2)->rate, UINT64_C(32000000000));
    assert_int_equal(fabric_port(&f, 1, 2)->lid, 0);
    assert_int_equal(fabric_port(&f, 2, 1)->lid, 8);
    assert_int_equal(fabric_port(&f, 2, 1)->guid, 0xb01);
    fabric_check_shape(&f);
    bough_fabric_fini(&f);
    /* -p: the other end is listed without a cable */
    fabric_good("SW 1 1 0xa0 4x QDR - SW 2 1 0xb0 ( 'A' - 'B' )\nSW 2 1 0xb0 4x SDR 'B'\n", &f);
    assert_int_equal(fabric_findings(&f, "one-sided-cable", BOUGH_WARN), 1);
    assert_int_equal(f.port[0].peer, 1);
    bough_fabric_fini(&f);
}

static void contradicting(void **state) {
    (void)state;
    bough_fabric f;
    /* A1 says B1; B1 and C1 agree: only theirs stays. */
    fabric_good(SWITCH_A TO_B(1, 1) SWITCH_B TO_C(1, 1) SWITCH_C TO_B(1, 1), &f);
    assert_int_equal(fabric_findings(&f, "contradicting-cable", BOUGH_ERROR), 1);
    assert_string_equal(fabric_finding(&f, "contradicting-cable")->where, "f:2");
    assert_non_null(strstr(fabric_finding(&f, "contradicting-cable")->text, "ignored"));
    assert_int_equal(fabric_port(&f, 0, 1)->peer, BOUGH_NO_INDEX);
    assert_int_equal(fabric_port(&f, 1, 1)->peer, bough_fabric_port_find(&f, 2, 1));
    fabric_check_shape(&f);
    bough_fabric_fini(&f);
    /* A1 says B1, B1 says C1, C1 says nothing: both are doubtful. */
    fabric_good(SWITCH_A TO_B(1, 1) SWITCH_B TO_C(1, 1) SWITCH_C, &f);
    assert_int_equal(fabric_findings(&f, "contradicting-cable", BOUGH_ERROR), 2);
    for (uint32_t i = 0; i < f.port_count; i++) assert_int_equal(f.port[i].peer, BOUGH_NO_INDEX);
    fabric_check_shape(&f);
    bough_fabric_fini(&f);
    /* A round of three; two that claim one silent end; a port that is its own end. */
    fabric_good(SWITCH_A TO_B(1, 1) SWITCH_B TO_C(1, 1) SWITCH_C TO_A(1, 1), &f);
    assert_int_equal(fabric_findings(&f, "contradicting-cable", BOUGH_ERROR), 3);
    bough_fabric_fini(&f);
    fabric_good(SWITCH_A TO_C(1, 1) SWITCH_B TO_C(1, 1) SWITCH_C, &f);
    assert_int_equal(fabric_findings(&f, "contradicting-cable", BOUGH_ERROR), 2);
    bough_fabric_fini(&f);
    fabric_good(SWITCH_A TO_A(1, 1), &f);
    assert_int_equal(fabric_findings(&f, "contradicting-cable", BOUGH_ERROR), 1);
    assert_int_equal(f.port[0].peer, BOUGH_NO_INDEX);
    fabric_check_shape(&f);
    bough_fabric_fini(&f);
    /* B1's line names a node that is missing, so A1's claim on it is doubtful too. */
    fabric_good(SWITCH_A TO_B(1, 1) SWITCH_B TO_C(1, 1), &f);
    assert_int_equal(fabric_findings(&f, "missing-node", BOUGH_ERROR), 1);
    assert_int_equal(fabric_findings(&f, "contradicting-cable", BOUGH_ERROR), 1);
    assert_int_equal(fabric_port(&f, 0, 1)->peer, BOUGH_NO_INDEX);
    bough_fabric_fini(&f);
}

static void odd_nodes_and_ports(void **state) {
    (void)state;
    bough_fabric f;
    fabric_good(SWITCH_A TO_B(1, 2) TO_B(9, 3) TO_C(4, 4) SWITCH_B TO_A(2, 1) TO_A(3, 9)
                    TO_A(3, 8) "Ca\t1 \"H-0000000000000005\"\t\t# \"alone\"\n" SWITCH_B TO_A(2, 1),
                &f);
    assert_int_equal(f.node_count, 3);
    assert_int_equal(fabric_findings(&f, "missing-node", BOUGH_ERROR), 1); /* C */
    assert_string_equal(fabric_finding(&f, "missing-node")->where, "f:4");
    assert_non_null(strstr(fabric_finding(&f, "missing-node")->text, "00000000000000c0"));
    assert_int_equal(fabric_findings(&f, "port-beyond-count", BOUGH_WARN), 1); /* A 9 */
    assert_int_equal(fabric_findings(&f, "duplicate-port", BOUGH_ERROR), 1); /* B 3; the first line counts */
    assert_int_equal(fabric_findings(&f, "duplicate-node", BOUGH_WARN), 1);  /* B */
    assert_int_equal(fabric_findings(&f, "isolated-node", BOUGH_INFO), 1);   /* alone */
    assert_int_equal(f.findings.count, 5);
    assert_int_equal(fabric_port(&f, 0, 9)->peer, bough_fabric_port_find(&f, 1, 3));
    assert_int_equal(fabric_port(&f, 0, 4)->peer, BOUGH_NO_INDEX);
    fabric_check_shape(&f);
    bough_fabric_fini(&f);
}

static void odd_rates(void **state) {
    (void)state;
    bough_fabric f;
    fabric_good(SWITCH_A
                "[1] \"S-00000000000000b0\"[1] # \"B\" lid 2 4xZDR\n[2] \"S-00000000000000b0\"[2] # \"B\" "
                "lid 2 3xQDR\n"
                "[3] \"S-00000000000000b0\"[3] # \"B\" lid 2 ?????\n[4] \"S-00000000000000b0\"[4] # \"B\" "
                "lid 2 4xQDR\n"
                "[5] \"S-00000000000000b0\"[5]\n" SWITCH_B
                "[1] \"S-00000000000000a0\"[1] # \"A\" lid 1 4xZDR\n[2] \"S-00000000000000a0\"[2] # \"A\" "
                "lid 1 3xQDR\n"
                "[3] \"S-00000000000000a0\"[3] # \"A\" lid 1 ?????\n[4] \"S-00000000000000a0\"[4] # \"A\" "
                "lid 1 1xDDR\n"
                "[5] \"S-00000000000000a0\"[5]\n",
                &f);
    assert_int_equal(fabric_findings(&f, "unknown-rate", BOUGH_WARN), 3);
    assert_int_equal(fabric_findings(&f, "mismatched-ends", BOUGH_WARN), 1);
    assert_string_equal(fabric_finding(&f, "mismatched-ends")->where, "f:5");
    assert_int_equal(f.findings.count, 4);
    assert_string_equal(fabric_port(&f, 0, 1)->speed, "ZDR");
    assert_int_equal(fabric_port(&f, 0, 1)->rate, 0);
    assert_int_equal(fabric_port(&f, 0, 2)->width, 0);
    assert_int_equal(fabric_port(&f, 0, 4)->rate, UINT64_C(32000000000));
    assert_int_equal(fabric_port(&f, 1, 4)->rate, UINT64_C(4000000000));
    assert_int_equal(fabric_port(&f, 0, 5)->peer,
                     bough_fabric_port_find(&f, 1, 5)); /* no comments: still a cable */
    bough_fabric_fini(&f);
}

/* Before a subnet manager ran: hosts get LIDs first, then switches. */
static void no_lid_at_all(void **state) {
    (void)state;
    static const char *const none[] = {"0", "65535"};
    for (int i = 0; i < 2; i++) {
        char text[1000];
        const char *n = none[i];
        snprintf(text, sizeof text,
                 "Switch\t8 \"S-00000000000000a0\"\t\t# \"A\" base port 0 lid %s lmc 0\n"
                 "[1]\t\"H-0000000000000100\"[1](101) # \"n1\" lid %s 4xQDR\n"
                 "[2]\t\"H-0000000000000200\"[1](201) # \"n2\" lid %s 4xQDR\n"
                 "Ca\t2 \"H-0000000000000100\" # \"n1\"\n"
                 "[1](101) \"S-00000000000000a0\"[1] # lid %s lmc 0 \"A\" lid %s 4xQDR\n"
                 "Ca\t1 \"H-0000000000000200\" # \"n2\"\n"
                 "[1](201) \"S-00000000000000a0\"[2] # lid %s lmc 0 \"A\" lid %s 4xQDR\n",
                 n, n, n, n, n, n, n);
        bough_fabric f = fabric_from(text);
        assert_true(f.without_lids);
        assert_int_equal(fabric_port(&f, fabric_node(&f, "n1"), 1)->lid, 1);
        assert_int_equal(fabric_port(&f, fabric_node(&f, "n2"), 1)->lid, 2);
        assert_int_equal(f.node[fabric_node(&f, "A")].lid, 3);
        assert_int_equal(fabric_findings(&f, "no-lid", BOUGH_WARN), 1);
        assert_int_equal(f.findings.count, 1);
        bough_fabric_fini(&f);
    }
}

static void odd_lids(void **state) {
    (void)state;
    bough_fabric f;
    fabric_good("Switch\t8 \"S-00000000000000a0\"\t\t# \"A\" base port 0 lid 1 lmc 0\n"
                "[1]\t\"H-0000000000000100\"[1](101) # \"n1\" lid 4 4xQDR\n"
                "[2]\t\"H-0000000000000200\"[1](201) # \"n2\" lid 7 4xQDR\n"
                "[3]\t\"H-0000000000000300\"[1](301) # \"n3\" lid 0 4xQDR\n"
                "Ca\t1 \"H-0000000000000100\" # \"n1\"\n"
                "[1](101) \"S-00000000000000a0\"[1] # lid 4 lmc 2 \"A\" lid 1 4xQDR\n"
                "Ca\t1 \"H-0000000000000200\" # \"n2\"\n"
                "[1](201) \"S-00000000000000a0\"[2] # lid 7 lmc 0 \"A\" lid 1 4xQDR\n"
                "Ca\t1 \"H-0000000000000300\" # \"n3\"\n"
                "[1](301) \"S-00000000000000a0\"[3] # lid 65535 lmc 0 \"A\" lid 1 4xQDR\n",
                &f);
    assert_int_equal(fabric_findings(&f, "duplicate-lid", BOUGH_ERROR), 1); /* 7 is one of 4 .. 7 */
    assert_non_null(
        strstr(fabric_finding(&f, "duplicate-lid")->text, "LID 7 belongs to n1 and to n2 port 1"));
    assert_string_equal(fabric_finding(&f, "duplicate-lid")->where, "f:8");
    assert_int_equal(fabric_findings(&f, "no-lid", BOUGH_WARN), 1);
    assert_non_null(strstr(fabric_finding(&f, "no-lid")->text, "n3 port 1"));
    assert_int_equal(fabric_findings(&f, "lmc", BOUGH_INFO), 1);
    assert_int_equal(f.findings.count, 3);
    assert_int_equal(fabric_port(&f, fabric_node(&f, "n1"), 1)->lmc, 2);
    bough_fabric_fini(&f);
}

/* Two switches without a cable between them are two subnets, also where a host is in both. */
static void lids_of_subnets(void **state) {
    (void)state;
    bough_fabric f;
    fabric_good("Switch\t8 \"S-00000000000000a0\"\t\t# \"A\" base port 0 lid 9 lmc 0\n"
                "[1]\t\"H-0000000000000100\"[1](101) # \"n1\" lid 1 4xQDR\n"
                "Switch\t8 \"S-00000000000000b0\"\t\t# \"B\" base port 0 lid 9 lmc 0\n"
                "[1]\t\"H-0000000000000100\"[2](102) # \"n1\" lid 1 4xQDR\n"
                "Ca\t2 \"H-0000000000000100\" # \"n1\"\n"
                "[1](101) \"S-00000000000000a0\"[1] # lid 1 lmc 0 \"A\" lid 9 4xQDR\n"
                "[2](102) \"S-00000000000000b0\"[1] # lid 1 lmc 0 \"B\" lid 9 4xQDR\n",
                &f);
    assert_int_equal(fabric_findings(&f, "duplicate-lid", BOUGH_ERROR), 0);
    bough_fabric_fini(&f);
}

/* Of each kind 20 are listed and the rest is counted. */
static void many_findings(void **state) {
    (void)state;
    char text[16384];
    size_t n = 0;
    for (int i = 0; i < 100; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "Ca\t1 \"H-%016d\" # \"n%d\"\n", i, i);
    bough_fabric f;
    fabric_good(text, &f);
    assert_int_equal(fabric_findings(&f, "isolated-node", BOUGH_INFO), 21);
    assert_int_equal(f.findings.count, 21);
    assert_string_equal(f.findings.item[20].where, "f");
    assert_string_equal(f.findings.item[20].text, "and 80 more");
    bough_fabric_fini(&f);
}

/* ---- names ---- */

#define CA(guid, text) "Ca\t1 \"H-" guid "\" # \"" text "\"\n"

static void names(void **state) {
    (void)state;
    static const struct {
        const char *guid, *text, *name;
    } cases[] = {
        {"0000000000000001", "solo HCA-1", "solo"},
        {"0000000000000002", "twin HCA-1", "twin/HCA-1"},
        {"0000000000000003", "twin HCA-2", "twin/HCA-2"},
        {"0000000000000004", "same mlx5_0", "same mlx5_0-0000000000000004"},
        {"0000000000000005", "same mlx5_0", "same mlx5_0-0000000000000005"},
        {"0000000000000006", "MT25408 ConnectX Mellanox Technologies",
         "MT25408 ConnectX Mellanox Technologies-0000000000000006"},
        {"0000000000000007", "MT25408 ConnectX Mellanox Technologies",
         "MT25408 ConnectX Mellanox Technologies-0000000000000007"},
        {"0000000000000008", "", "H-0000000000000008"},
        {"0000000000000009", "  \t", "H-0000000000000009"},
        {"000000000000000a", "  p qib0 ", "p"},
        {"000000000000000b", "HCA-1", "HCA-1"},
        {"000000000000000c", "two words HCA-1", "two words HCA-1"},
        {"000000000000000d", "bell\a\x01 and \xff\xc3", "bell?? and ??"},
        {"000000000000000e", "caf\xc3\xa9 hfi1_0", "caf\xc3\xa9"},
        {"000000000000000f", "twin/HCA-2", "twin/HCA-2-000000000000000f"},
        {"0000000000000010", "Mellanox Technologies Aggregation Node",
         "Mellanox Technologies Aggregation Node"},
    };
    char text[8192];
    size_t n = 0;
    for (size_t i = 0; i < COUNT(cases); i++)
        n += (size_t)snprintf(text + n, sizeof text - n, CA("%s", "%s"), cases[i].guid, cases[i].text);
    bough_fabric f;
    fabric_good(text, &f);
    fabric_check_shape(&f);
    for (size_t i = 0; i < COUNT(cases); i++) {
        if (i == 2) continue; /* below */
        assert_string_equal(f.node[i].name, cases[i].name);
        assert_string_equal(f.node[i].description, cases[i].text);
        assert_int_equal(f.node[i].aggregation, i == 15);
    }
    /* what would be "twin/HCA-2" is another's description: both carry their GUID */
    assert_string_equal(f.node[2].name, "twin HCA-2-0000000000000003");
    assert_non_null(
        strstr(fabric_finding(&f, "duplicate-description")->text, "4 nodes share 2 descriptions"));
    bough_fabric_fini(&f);
}

static void long_names(void **state) {
    (void)state;
    char text[2048], word[301] = "", cut[96];
    for (int i = 0; i < 100; i++) strcat(word, "\xe2\x82\xac"); /* 3 bytes each */
    snprintf(text, sizeof text, CA("0000000000000001", "%s") CA("0000000000000002", "%s"), word, word);
    bough_fabric f;
    fabric_good(text, &f);
    memcpy(cut, word, 78); /* 26 of them leave room for "-" and 16 digits in 95 bytes */
    strcpy(cut + 78, "-0000000000000001");
    assert_string_equal(f.node[0].name, cut);
    assert_string_equal(f.node[0].description, word);
    fabric_check_shape(&f);
    bough_fabric_fini(&f);
    word[95] = 0;
    snprintf(text, sizeof text, CA("0000000000000001", "%s"), word);
    fabric_good(text, &f);
    assert_int_equal(strlen(f.node[0].name), 95); /* 31 of them, and the rest of a broken one as ?? */
    assert_string_equal(f.node[0].name + 93, "??");
    bough_fabric_fini(&f);
}

/* A switch and an adapter of one GUID and description are told apart all the same. */
static void stubborn_names(void **state) {
    (void)state;
    bough_fabric f;
    fabric_good("Switch\t1 \"S-0000000000000001\" # \"x\"\n" CA("0000000000000001", "x")
                    CA("0000000000000002", "x~2"),
                &f);
    fabric_check_shape(&f);
    assert_string_equal(f.node[0].name, "x-0000000000000001");
    assert_string_equal(f.node[1].name, "x-0000000000000001~2");
    assert_int_equal(fabric_findings(&f, "duplicate-guid", BOUGH_ERROR), 1);
    bough_fabric_fini(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_sided),
        cmocka_unit_test(contradicting),
        cmocka_unit_test(odd_nodes_and_ports),
        cmocka_unit_test(odd_rates),
        cmocka_unit_test(no_lid_at_all),
        cmocka_unit_test(odd_lids),
        cmocka_unit_test(lids_of_subnets),
        cmocka_unit_test(many_findings),
        cmocka_unit_test(names),
        cmocka_unit_test(long_names),
        cmocka_unit_test(stubborn_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
