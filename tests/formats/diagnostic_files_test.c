/* Fabrics from opensm-subnet.lst, iblinkinfo and ibdiagnet2.db_csv: what is refused, small files by hand, and
 * recorded fabrics written in each of these forms. */
#include "support/diagnostic_files.h"
#include "support/fabric_texts.h"
#include "support/fabrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- bad input ---- */

#define END_A "{ SW Ports:08 NodeGUID:a0 PortGUID:a0 {A} LID:0001 PN:01 } "
#define END_1 "{ CA Ports:01 NodeGUID:100 PortGUID:101 {n1 HCA-1} LID:0002 PN:01 } "
#define UP    "PHY=4x LOG=ACT SPD=10\n"

static void wrong_subnet_lists_are_refused(void **state) {
    (void)state;
    static const fabric_bad bad[] = {
        {"{ XX Ports:01 }\n", "f:1", "is not a fabric file"},
        {END_A END_1 UP END_A "\n", "f:2", "expected \"{\" and one end of a cable"},
        {END_A "{ XX Ports:01 } " UP, "f:1",
         "invalid kind of node; expected \"{ CA\", \"{ SW\" or \"{ RTR\""},
        {END_A "{ CA Ports:01 NodeGUID:xyz } " UP, "f:1",
         "expected a hexadecimal number after \"NodeGUID:\""},
        {END_A "{ CA Ports:01 NodeGUID:11223344556677889 } " UP, "f:1",
         "hexadecimal number after \"NodeGUID:\""},
        {END_A "{ CA Ports:01 NodeGUID:100 } " UP, "f:1", "the fields Ports, NodeGUID and PN"},
        {END_A "{ CA Ports:01 PN:01 } " UP, "f:1", "the fields Ports, NodeGUID and PN"},
        {END_A "{ CA NodeGUID:100 PN:01 } " UP, "f:1", "the fields Ports, NodeGUID and PN"},
        {END_A "{ CA Ports:01 NodeGUID:100 PN:00 } " UP, "f:1", "port 0 of 1 does not exist"},
        {END_A "{ CA Ports:01 NodeGUID:100 PN:FF } " UP, "f:1", "port 255 of 1 does not exist"},
        {END_A "{ CA Ports:01 NodeGUID:100 LID:C000 PN:01 } " UP, "f:1", "LID 49152 is too large"},
        {END_A "{ CA Ports:01 NodeGUID:100 LID:1 LMC:8 PN:01 } " UP, "f:1",
         "a number from 0 to 7 after \"LMC:\""},
        {END_A "{ CA Ports:01 NodeGUID:100 PN:01 {n1 LID:0001 } " UP, "f:1", "expected \"} LID:\" after"},
        {END_A "{ CA Ports:01 hello PN:01 } " UP, "f:1",
         "unexpected \"hello\"; expected a field such as LID:0001"},
        {END_A "{ CA Ports:01 NodeGUID:100 PN:01\n", "f:1", "expected \"}\" after one end of a cable"},
        {END_A END_1 "PHY=4x\n", "f:1", "expected \"PHY=4x LOG=ACT SPD=10\""},
        {END_A END_1 "PHY=4x LOG=ACT SPEED=10\n", "f:1", "expected \"SPD=10\" at the end of the line"},
        {END_A END_1 "PHY=4x LOG=ACT SPD=10 x\n", "f:1", "expected \"SPD=10\" at the end of the line"},
        {END_A END_1 "PHY=4x LOG=ACT SPD=10", "f:1", "the file ends within this line"},
        {END_A END_1 "PHY=4x LOG=ACT", "f:1", "the file ends within this line"},
    };
    fabric_all_refused(bad, COUNT(bad));
}

#define TO_1   "==( 4X 10.0 Gbps Active/  LinkUp)==>  2 1[  ] \"n1 HCA-1\" ( )\n"
#define TO_S   "==( 4X 10.0 Gbps Active/  LinkUp)==>  1 1[  ] \"A\" ( )\n"
#define SWITCH "Switch: 0x00000000000000a0 A:\n"
#define LINE_1 "0x0000000000000101 \"   n1 HCA-1\" 2 1[  ] "

static void wrong_link_info_is_refused(void **state) {
    (void)state;
    static const fabric_bad bad[] = {
        {SWITCH "garbage\n", "f:2", "expected a line of iblinkinfo"},
        {SWITCH "Switch: 0xzz A:\n", "f:2", "invalid heading of a switch"},
        {SWITCH "Switch: A:\n", "f:2", "invalid heading of a switch"},
        {SWITCH "CA: n1 HCA-1\n", "f:2", "expected a colon after the description of the node"},
        {SWITCH "0xzz 1 1[  ] " TO_1, "f:2", "invalid GUID; expected 0x"},
        {SWITCH "x 1[  ] " TO_1, "f:2", "expected a LID and a port number"},
        {SWITCH "1 x[  ] " TO_1, "f:2", "expected a LID and a port number"},
        {SWITCH "1 1 " TO_1, "f:2", "expected a LID and a port number"},
        {SWITCH "1 0[  ] " TO_1, "f:2", "port 0 does not exist"},
        {SWITCH "1 255[  ] " TO_1, "f:2", "port 255 does not exist"},
        {SWITCH "49152 1[  ] " TO_1, "f:2", "LID 49152 is too large"},
        {SWITCH "1 1[  ] ==( 4X 10.0 Gbps Active/ LinkUp) 2 1[  ] \"n1 HCA-1\" ( )\n", "f:2",
         "invalid state of the link; expected ==( 4X 10.0 Gbps Active/ LinkUp)==>"},
        {SWITCH "1 1[  ] ==( 4X 10.0 Gbps )==> 2 1[  ] \"n1 HCA-1\" ( )\n", "f:2",
         "expected \"Active/\" or \"Down/\""},
        {SWITCH "1 1[  ] ==( 4X 10.0 Gbps Active/ LinkUp)==> 2 1[  ] n1 ( )\n", "f:2",
         "in quotes and a remark"},
        {SWITCH "1 1[  ] ==( 4X 10.0 Gbps Active/ LinkUp)==> 2 1[  ] \"n1\" ( ", "f:2",
         "the file ends within"},
        {SWITCH "1 1[  ] ==( 4X 10.0 Gbps Active/ LinkUp)==> 2 x[  ] \"n1\" ( )\n", "f:2",
         "expected the LID, port number and description of the other end"},
        {SWITCH "1 1[  ] ==( 4X 10.0 Gbps Active/ LinkUp)==> 2 0[  ] \"n1\" ( )\n", "f:2",
         "port 0 does not exist"},
        {LINE_1 TO_S "1 1[  ] " TO_S, "f:2", "port before the first heading"},
        {LINE_1 TO_S "0x101 \"n1 2 1[  ] " TO_S, "f:2",
         "a GUID, a description in quotes, a LID and a port number"},
        {LINE_1 TO_S "\"n1\" 2 1[  ] " TO_S, "f:2",
         "a GUID, a description in quotes, a LID and a port number"},
    };
    fabric_all_refused(bad, COUNT(bad));
}

#define NODES                                                                                                \
    "START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n\"A\",8,2,0xa0\n\"n1 HCA-1\",1,1,0x100\nEND_NODES\n"
#define PORTS_HEAD                                                                                           \
    "START_PORTS\nNodeGuid,PortGuid,PortNum,LID,LMC,LinkWidthActv,LinkSpeedActv\n0xa0,0xa0,0,1,0,0,0\n"
#define PORTS      PORTS_HEAD "0xa0,0,1,0,0,2,4\n0x100,0x101,1,2,0,2,4\nEND_PORTS\n"
#define LINKS_HEAD "START_LINKS\nNodeGuid1,PortNum1,NodeGuid2,PortNum2\n"
#define LINKS      LINKS_HEAD "0xa0,1,0x100,1\nEND_LINKS\n"

static void wrong_databases_are_refused(void **state) {
    (void)state;
    static const fabric_bad bad[] = {
        {"START_NODES\n", "f:1", "the section NODES, which starts on line 1, has no end; expected END_NODES"},
        {NODES "START_PORTS\nSTART_LINKS\n", "f:7", "the section PORTS, which starts on line 6, has no end"},
        {NODES "START_PORTS\nEND_LINKS\n", "f:7", "the section PORTS, which starts on line 6, has no end"},
        {NODES PORTS, "f", "has no section LINKS; expected the sections NODES, PORTS and LINKS of ibdiagnet"},
        {NODES LINKS, "f", "has no section PORTS"},
        {PORTS LINKS, "f", "has no section NODES"},
        {"START_NODES\nEND_NODES\n" PORTS LINKS, "f:2", "expected the names of columns"},
        {"START_NODES\nNodeDesc,NumPorts,NodeGUID\nEND_NODES\n" PORTS LINKS, "f:2",
         "the section NODES has no column NodeType among the 3 that this line names"},
        {"START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n\"A\",8,2\nEND_NODES\n" PORTS LINKS, "f:3",
         "has 3 cells, but the section NODES has 4 columns (line 2)"},
        {"START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\nA,b,8,2,0xa0\nEND_NODES\n" PORTS LINKS, "f:3",
         "has 5 cells, but the section NODES has 4 columns (line 2)"},
        {"START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n\"A,8,2,0xa0\nEND_NODES\n" PORTS LINKS, "f:3",
         "missing closing quote in cell 1"},
        {"START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n\"A\",8,4,0xa0\nEND_NODES\n" PORTS LINKS, "f:3",
         "NodeType is 4; expected 1 (adapter), 2 (switch) or 3 (router)"},
        {"START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n\"A\",300,2,0xa0\nEND_NODES\n" PORTS LINKS, "f:3",
         "NumPorts is \"300\"; expected a whole number of at most 255"},
        {"START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n\"A\",8,2,switch1\nEND_NODES\n" PORTS LINKS,
         "f:3", "NodeGUID is \"switch1\"; expected a GUID, as in 0x0002c90300000001"},
        {"START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n\"A\",8,2,N/A\nEND_NODES\n" PORTS LINKS, "f:3",
         "NodeGUID is empty"},
        {NODES PORTS_HEAD "0xa0,0,1,70000,0,2,4\nEND_PORTS\n" LINKS, "f:9", "LID is \"70000\""},
        {NODES PORTS_HEAD "0xa0,0,1,50000,0,2,4\nEND_PORTS\n" LINKS, "f:9", "LID 50000 is too large"},
        {NODES PORTS_HEAD "0xa0,0,,1,0,2,4\nEND_PORTS\n" LINKS, "f:9", "PortNum is empty"},
        {NODES PORTS_HEAD "0xa0,0,255,1,0,2,4\nEND_PORTS\n" LINKS, "f:9", "PortNum is \"255\""},
        {NODES PORTS_HEAD "0xa0,0,1,1,8,2,4\nEND_PORTS\n" LINKS, "f:9", "LMC is \"8\""},
        {NODES PORTS_HEAD "0xa0,0,1,1,0,x,4\nEND_PORTS\n" LINKS, "f:9", "LinkWidthActv is \"x\""},
        {NODES PORTS LINKS_HEAD "0xa0,0,0x100,1\nEND_LINKS\n", "f:14", "port 0 does not exist"},
        {NODES PORTS LINKS_HEAD "0xa0,1,,1\nEND_LINKS\n", "f:14", "NodeGuid2 is empty"},
    };
    fabric_all_refused(bad, COUNT(bad));
}

/* The columns of net_dump, which are found by their names. */
#define DUMP_HEAD  "\"A\", Mellanox, 0xa0, LID 1\n"
#define DUMP_NAMES " # : IB# : Sta : LWA : LSA : Neighbor Guid : N# : NLID : Neighbor Description\n"
#define DUMP_PORT  " sw1p1 : 1 : ACT : 4x : 10 : 0x101 : 1 : 2 : \"n1 HCA-1\"\n"

static void wrong_dumps_are_refused(void **state) {
    (void)state;
    static const fabric_bad bad[] = {
        {DUMP_HEAD DUMP_PORT, "f:2", "expected a switch of net_dump: \"NAME\", VENDOR, 0xGUID, LID N"},
        {DUMP_HEAD "# : IB# : LWA : LSA : N# : NLID : Neighbor Description\n", "f:2",
         "no column \"Neighbor Guid\" among the 7 that this line names"},
        {DUMP_HEAD "# : LWA : LSA : Neighbor Guid : N# : Neighbor Description : NLID\n", "f:2",
         "expected the column \"Neighbor Description\" at the end"},
        {DUMP_HEAD DUMP_NAMES " sw1p1 : 1 : ACT\n", "f:3",
         "has 3 cells between colons, but the columns are 9"},
        {DUMP_HEAD DUMP_NAMES " sw1p1 : x : ACT : 4x : 10 : 0x101 : 1 : 2 : n1\n", "f:3",
         "IB# is \"x\"; expected a whole number"},
        {DUMP_HEAD DUMP_NAMES " sw1p1 : 255 : ACT : 4x : 10 : 0x101 : 1 : 2 : n1\n", "f:3", "255"},
        {DUMP_HEAD DUMP_NAMES " sw1p1 : 1 : ACT : 4x : 10 : host : 1 : 2 : n1\n", "f:3",
         "Neighbor Guid is \"host\"; expected a GUID"},
        {DUMP_HEAD DUMP_NAMES " sw1p1 : 1 : ACT : 4x : 10 : 0x101 : 1 : 50000 : n1\n", "f:3", "LID 50000"},
        {DUMP_HEAD DUMP_NAMES " sw1p1 : 1 : ACT : 4x : 10 : 0x101 : p1 : 2 : n1\n", "f:3",
         "N# is \"p1\", and the neighbour has no such port"},
        {"\"A\", Mellanox, 0xa0, LID 50000\n", "f:1", "LID 50000"},
    };
    fabric_all_refused(bad, COUNT(bad));
}

static void wrong_netlists_are_refused(void **state) {
    (void)state;
    static const fabric_bad bad[] = {
        {"Switch 8 \"A\"\n[x]\t\"n1\"[1]\n", "f:2", "invalid port number; expected [N], N from 1 to 254"},
        {"Switch 8 \"A\"\n[255]\t\"n1\"[1]\n", "f:2", "invalid port number"},
        {"Switch 8 \"A\"\n[1]\tn1[1]\n", "f:2", "expected the name of the node at the other end, in quotes"},
        {"Switch 8 \"A\"\n[1]\t\"n1\"\n", "f:2", "expected the port at the other end"},
        {"Switch 8 \"A\"\nHub 8 \"B\"\n", "f:2", "expected a line of a netlist: Switch or Hca"},
        {"Switch 8 \"A\"\n[1]\t\"n1\"[1]\n[1]\t\"n2\"[1]\n", "f:3",
         "A has two cables at one port; the other is on line 2"},
    };
    fabric_all_refused(bad, COUNT(bad));
}

#define IBNL_BOARD                                                                                           \
    "SYSTEM LEAF,LEAF:wide\nNODE SW 4 MT1 U1\n1 -> P1\n2 -4x-5G-> P2\n3 -4x-10G-> U2 1\nNODE SW 4 MT1 "      \
    "U2\n2 -> "                                                                                              \
    "P3\n"

static void wrong_topologies_of_ibdm_are_refused(void **state) {
    (void)state;
    static const fabric_bad bad[] = {
        {"M4 A\n  P1 -> CA n1\n", "f:1", "is not a fabric file; expected"},
        {"M4 A\n  P1 -> CA n1 P1\n  P2 -> CA n2\n", "f:3", "expected type, name and port at the other end"},
        {"M4 A\n  P1 -> CA n1 P1\n  P2 CA n2 P1\n", "f:3",
         "expected a system, TYPE NAME, or one of its cables"},
        {"M4 A\n  P1 -> CA n1 P1\nM5 A\n", "f:3", "A is of type M5, and on line 1 of type M4"},
        {"M4 A CFG: leaf1\n  P1 -> CA n1 P1\n", "f:1", "expected boards and what is in their place"},
        {"M4 A\n  P1 -> CA n1 P1\n  L1/P1 -> CA n2 P1\n", "f:3",
         "port L1/P1 of A: the type M4 is not described"},
        {"M4 A\n  P0 -> CA n1 P1\n", "f:2", "port P0 of A"},
        {"M4 A\n  P255 -> CA n1 P1\n", "f:2", "port P255 of A"},
        {"M4 A\n  P1 -> CA n1 P1\n  P1 -> CA n2 P1\n", "f:3", "A has two cables at one port"},
        {IBNL_BOARD, "f", "describes types of systems (IBNL), but no systems"},
        {IBNL_BOARD "P1 -> CA n1 P1\n", "f:8", "expected a line of a description: NODE, SUBSYSTEM"},
        {"SYSTEM ,\n", "f:1", "expected a name"},
        {"SYSTEM A\nNODE SW 4 MT1 U1\n? 1 -> P1\n", "f:3",
         "expected a line of a description: NODE, SUBSYSTEM"},
        {"NODE SW 4 M U1\n", "f:1", "NODE before the first SYSTEM"},
        {"TOPSYSTEM M\n1 -> P1\n", "f:2", "a connection before the first NODE"},
        {"TOPSYSTEM M\nNODE XX 4 MT1 U1\n", "f:2", "expected a chip: NODE SW or CA"},
        {"TOPSYSTEM M\nNODE SW MT1 U1\n", "f:2", "expected a chip: NODE SW or CA"},
        {"TOPSYSTEM M\nSUBSYSTEM LEAF\n", "f:2", "expected a board: SUBSYSTEM TYPE NAME"},
        {"TOPSYSTEM M\nNODE SW 4 MT1 U1\nNODE SW 4 MT1 U1\n", "f:3", "the system has two parts U1"},
        {"TOPSYSTEM M\nNODE SW 4 MT1 U1\n1 -> U2 1\nM a\n", "f:3", "the system has no part U2"},
        {"TOPSYSTEM M\nNODE SW 4 MT1 U1\n1 -> P1\nM a\nP2 -> CA n1 P1\n", "f:5", "a has no port P2"},
        {"TOPSYSTEM M\nSUBSYSTEM LEAF b\nM a\n", "f:2", "no board LEAF is described, which b of system a is"},
        {"SYSTEM B\nTOPSYSTEM M\nSUBSYSTEM B b\nM a CFG: b=odd\n", "f:3",
         "no board B:odd is described, which b of system a is; expected SYSTEM B:odd before this line, or "
         "b=R in"},
        {"SYSTEM B\nTOPSYSTEM M\nSUBSYSTEM B b\nM a CFG: bb=R\n", "f:4",
         "a has no board bb, or CFG names it twice; expected a name behind SUBSYSTEM in the description of "
         "M"},
        {"SYSTEM B\nSUBSYSTEM B b\nTOPSYSTEM M\nSUBSYSTEM B b\nM a\n", "f", "more than 8 levels of boards"},
        {"TOPSYSTEM " /* a name of 64 bytes */
         "0123456789012345678901234567890123456789012345678901234567890123\n",
         "f:1", "is longer than 63 bytes"},
    };
    fabric_all_refused(bad, COUNT(bad));
}

/* ---- by hand ---- */

/* The fabric of all small files here: switch A (LID 1, 8 ports), adapter n1 (LID 2), a cable of 4xQDR. */
static void check_small(bough_fabric *f, const char *format) {
    assert_string_equal(f->format, format);
    assert_int_equal(f->node_count, 2);
    fabric_check_shape(f);
    uint32_t a = fabric_node(f, "A"), n1 = fabric_node(f, "n1");
    assert_int_equal(f->node[a].kind, BOUGH_FABRIC_SWITCH);
    assert_int_equal(f->node[n1].kind, BOUGH_FABRIC_ADAPTER);
    assert_true(f->node[a].guid == 0xa0 && f->node[a].lid == 1);
    const bough_fabric_port *p = fabric_port(f, a, 1), *q = fabric_port(f, n1, 1);
    assert_true(p->peer == (uint32_t)(q - f->port) && q->guid == 0x101 && q->lid == 2 && p->lid == 0);
    assert_true(p->width == 4 && q->width == 4 && p->rate == 32000000000 && q->rate == 32000000000);
    assert_string_equal(p->speed, "QDR");
}

static void small_files(void **state) {
    (void)state;
    static const struct {
        const char *format, *text;
    } files[] = {
        {"lst", END_A END_1 UP END_1 END_A UP},
        {"lst",
         "# one direction, and a cable that is down\n" END_A END_1 UP
         "{ SW Ports:08 NodeGUID:a0 PN:02 } { CA Ports:01 NodeGUID:100 PN:01 } PHY=4x LOG=DWN SPD=2.5\n"},
        {"iblinkinfo", SWITCH "   1    1[  ] " TO_1 "CA: n1 HCA-1:\n  0x0000000000000101 2 1[  ] " TO_S},
        {"iblinkinfo", "ibwarn: [1] x\nCA: n1 HCA-1:\n0x101 2 1[ 7] " TO_S "Switch 0x00a0 A:\n 1 1[  ] " TO_1
                       " 1 2[  ] ==( Down/Disabled)==> [  ] \"\" ( )\n"},
        {"iblinkinfo --line",
         "0xa0 \"A\" 1 1[  ] ==( 4X 10.0 Gbps Active/ LinkUp) (HOQ:0 VL_Stall:7)==> 0x101 2 1[  ] "
         "\"n1 HCA-1\" (Could be 12X )\n"
         "0xa0 \"A\" 1 2[  ] ==( Down/ Polling)==> [  ] \"\" ( )\n"
         "0x101 \"    n1 HCA-1\" 2 1[  ] ==( 4X 10.0 Gbps Active/ LinkUp)==> 0xa0 1 1[  ] \"A\" ( )\n"},
        {"db_csv", NODES PORTS LINKS},
        {"db_csv", "# comment\n\n" LINKS "START_X\nEND_X\n" PORTS NODES},
        {"db_csv", /* opensm-smdb.dump */
         "START_NODES\nSystemImageGUID, NodeGUID, NodeType, ExtNodeType, NumPorts, NodeDesc\n"
         "0xa0, 0xa0, 2, 0, 8, \"A\"\n0x100, 0x100, 1, 0, 1, \"n1 HCA-1\"\nEND_NODES\n"
         "START_PORTS\nPortGUID, NodeGUID, LID, PortNum, PortLabel, LinkWidth, LinkSpeed\n"
         "0xa0, 0xa0, 1, 0, N/A, N/A, N/A\n0xa0, 0xa0, 0, 1, sw1p1, 4x, QDR\n0x101, 0x100, 2, 1, 1, 2, 4\n"
         "END_PORTS\n"
         "START_LINKS\nNodeGUID1, PortNum1, NodeGUID2, PortNum2\n0xa0, 1, 0x100, 1\nEND_LINKS\n"},
    };
    for (size_t i = 0; i < COUNT(files); i++) {
        bough_fabric f = fabric_from(files[i].text);
        check_small(&f, files[i].format);
        assert_int_equal(fabric_findings(&f, "one-sided-cable", BOUGH_WARN), 0);
        bough_fabric_fini(&f);
    }
}

/* Three switches in a row: what is printed at a port of a neighbour is explained by the lines of that one,
 * which may follow. A switch of an old release has numbers alone. */
static void dumps_of_switches(void **state) {
    (void)state;
    bough_fabric f = fabric_from(
        "# of ibdiagnet\n" DUMP_HEAD DUMP_NAMES DUMP_PORT
        " sw2p1 : 3 : ACT : 4x : 10 : 0xb0 : sw4p2 : 3 : \"MF0;B:MQM9700/U1\"\n"
        " sw2p2 : 4 : DOWN : N/A : N/A : : : : \n"
        "\"MF0;B:MQM9700/U1\", Mellanox, 0xb0, LID 3\n" DUMP_NAMES
        " sw4p2 : 8 : ACT : 4x : 10 : 0xa0 : sw2p1 : 1 : \"A\"\n"
        " sw4p3 : 9 : ACT : 4x : 10 : 0xc0 : 5 : 4 : \"C\"\n"
        "\"C\", Mellanox, 0xc0, LID 4\n # : Sta : LWA : LSA : Neighbor Guid : N# : NLID : Neighbor "
        "Description\n"
        " 5 : ACT : 4x : 10 : 0xb0 : sw4p3 : 3 : \"MF0;B:MQM9700/U1\"\n"
        " 6 : ACT : 4x : 10 : 0x201 : 1 : 5 : \"n2: HCA-1\"\n");
    const uint32_t a = fabric_node(&f, "A"), b = fabric_node(&f, "B"), c = fabric_node(&f, "C");
    assert_string_equal(f.format, "net_dump");
    assert_int_equal(f.node_count, 5);
    fabric_check_shape(&f);
    assert_int_equal(fabric_port(&f, a, 3)->peer, fabric_port(&f, b, 8) - f.port);
    assert_int_equal(fabric_port(&f, b, 9)->peer, fabric_port(&f, c, 5) - f.port);
    const bough_fabric_port *host = &f.port[fabric_port(&f, a, 1)->peer];
    assert_true(host->guid == 0x101 && host->lid == 2 && host->rate == UINT64_C(32000000000));
    assert_int_equal(f.node[host->node].kind, BOUGH_FABRIC_ADAPTER);
    assert_int_equal(fabric_node(&f, "n1"), host->node);
    assert_string_equal(f.node[f.port[fabric_port(&f, c, 6)->peer].node].description, "n2: HCA-1");
    for (bough_severity k = 0; k < 3; k++) assert_int_equal(fabric_findings(&f, "one-sided-cable", k), 0);
    bough_fabric_fini(&f);
}

/* Nodes with names of their own, as in the examples of ibsim; from one end or from both. */
static void netlists_with_names(void **state) {
    (void)state;
    static const char *const texts[] = {
        "# an example\n\nSwitch\t8 \"A\"\n[1]\t\"n1\"[1]\n[3]\t\"B\"[4]\n\nSwitch 8 "
        "\"B\"\n[2]\t\"n2\"[1]\n[4]\t\"A\"[3]\n"
        "\nHca\t2 \"n1\"\n[1]\t\"A\"[1]\n\nCa 2 \"n2\"\n[1]\t\"B\"[2]  # w=4\n",
        "Hca 2 \"n1\"\n[1] \"A\"[1]\nHca 2 \"n2\"\n[1] \"B\"[2]\nSwitch 8 \"A\"\n[3] "
        "\"B\"[4]\nSwitch 8 \"B\"\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        bough_fabric f = fabric_from(texts[i]);
        assert_string_equal(f.format, "net");
        fabric_check_shape(&f);
        const uint32_t a = fabric_node(&f, "A"), b = fabric_node(&f, "B"), n2 = fabric_node(&f, "n2");
        assert_int_equal(f.node_count, 4);
        assert_int_equal(f.port_count, 6);
        assert_int_equal(fabric_port(&f, a, 3)->peer, fabric_port(&f, b, 4) - f.port);
        assert_int_equal(fabric_port(&f, b, 2)->peer, fabric_port(&f, n2, 1) - f.port);
        assert_int_equal(f.node[n2].kind, BOUGH_FABRIC_ADAPTER);
        bough_fabric_fini(&f);
    }
}

/* Without a description: a type that uses a port above 2 is a switch. Cables from one end or from both. */
static void topologies_of_ibdm(void **state) {
    (void)state;
    bough_fabric f =
        fabric_from("# made\n\nM8 A\n   P1 -> CA n1 P1\n   P2 -> CA n1 P2\n   P3 -4x-5G-> M8 B P4\n"
                    "\nM8 B\n   P4 -4x-5G-> M8 A P3\n   P1 -> CA n2 P1\n");
    const uint32_t a = fabric_node(&f, "A"), b = fabric_node(&f, "B"), n1 = fabric_node(&f, "n1");
    assert_string_equal(f.format, "ibdm");
    assert_int_equal(f.node_count, 4);
    assert_int_equal(f.port_count, 8);
    fabric_check_shape(&f);
    assert_int_equal(f.node[n1].kind, BOUGH_FABRIC_ADAPTER);
    assert_int_equal(f.node[b].kind, BOUGH_FABRIC_SWITCH);
    assert_int_equal(fabric_port(&f, a, 3)->peer, fabric_port(&f, b, 4) - f.port);
    assert_int_equal(fabric_port(&f, a, 2)->peer, fabric_port(&f, n1, 2) - f.port);
    assert_true(fabric_port(&f, a, 3)->rate == UINT64_C(16000000000) && fabric_port(&f, a, 1)->rate == 0);
    assert_int_equal(fabric_findings(&f, "plain-system", BOUGH_INFO), 1);
    bough_fabric_fini(&f);
}

/* A system of two boards, LEAF:wide in place of one, and without the other. Connectors of boards that are not
 * there lead nowhere; what a chip says of its rate counts before its board and the topology. */
static void systems_of_ibnl(void **state) {
    (void)state;
    static const char types[] = IBNL_BOARD "SYSTEM LEAF:one\nNODE SW 4 MT1 U1\n1 -> P1\n2 -> P3\n"
                                           "TOPSYSTEM Director,D2\nb/U1=isSpecial\nSUBSYSTEM LEAF a\nP1 "
                                           "-12x-2.5G-> L1/P1\nP2 -> L1/P2\nP3 -> b P3\n"
                                           "SUBSYSTEM LEAF b\nP1 -> L2/P1\nP3 -> a P3\n"
                                           "TOPSYSTEM Card\nNODE CA 2 MT2 U1\n1 -> P1\n2 -> P2\n";
    char text[2048];
    snprintf(text, sizeof text,
             "%sD2 S\nL1/P1 -> Card n1 P1\nL1/P2 -12x-10G-> Card n1 P2\nL2/P1 -> Card n2 P1\n", types);
    bough_fabric f = fabric_from(text);
    const uint32_t a1 = fabric_node(&f, "S/a/U1"), a2 = fabric_node(&f, "S/a/U2"),
                   b2 = fabric_node(&f, "S/b/U2");
    assert_int_equal(f.node_count, 6); /* four chips, two cards */
    assert_int_equal(f.port_count, 12);
    fabric_check_shape(&f);
    assert_int_equal(fabric_port(&f, a1, 3)->peer, fabric_port(&f, a2, 1) - f.port);
    assert_int_equal(fabric_port(&f, a2, 2)->peer, fabric_port(&f, b2, 2) - f.port);
    assert_true(fabric_port(&f, a1, 3)->rate == UINT64_C(32000000000));
    assert_true(fabric_port(&f, a1, 1)->rate == UINT64_C(24000000000));
    assert_true(fabric_port(&f, a1, 2)->rate == UINT64_C(16000000000));
    assert_int_equal(f.node[fabric_node(&f, "n1")].kind, BOUGH_FABRIC_ADAPTER);
    assert_int_equal(fabric_findings(&f, "plain-system", BOUGH_INFO), 0);
    bough_fabric_fini(&f);
    snprintf(text, sizeof text, "%sD2 S CFG: a=one, b=wide\nL1/P1 -> Card n1 P1\nL2/P1 -> Card n2 P1\n",
             types);
    f = fabric_from(text);
    assert_int_equal(f.node_count, 5); /* S/a has one chip */
    assert_int_equal(fabric_port(&f, fabric_node(&f, "S/a/U1"), 2)->peer,
                     fabric_port(&f, fabric_node(&f, "S/b/U2"), 2) - f.port);
    bough_fabric_fini(&f);
    snprintf(text, sizeof text, "%sD2 S CFG: b=R\nL1/P1 -> Card n1 P1\nL1/P2 -> Card n2 P1\n", types);
    f = fabric_from(text);
    assert_int_equal(f.node_count, 4);
    assert_int_equal(f.port_count, 6);
    bough_fabric_fini(&f);
}

/* What could be faster is a warning, once for each cable; where most cables could, it is an info. */
static void slow_cables(void **state) {
    (void)state;
    static const char head[] = "Switch: 0xa0 A:\n";
    static const char *const lines[] = {
        " 1 1[  ] ==( 4X 25.78125 Gbps Active/ LinkUp)==> 2 1[  ] \"n1 HCA-1\" (Could be 53.125 Gbps)\n",
        " 1 2[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 3 1[  ] \"n2 HCA-1\" ( )\n",
        " 1 3[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 4 1[  ] \"n3 Could be\" ( )\n"
        " 1 4[  ] ==( Down/ Polling)==> [  ] \"\" ( Could be 4X )\n",
        "CA: n1 HCA-1:\n0x101 2 1[  ] ==( 4X 25.78125 Gbps Active/ LinkUp)==> 1 1[  ] \"A\" (Could be 53.125 "
        "Gbps)\n",
        "CA: n2 HCA-1:\n0x201 3 1[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 1 2[  ] \"A\" ( )\n",
        "CA: n3 Could be:\n0x301 4 1[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 1 3[  ] \"A\" ( )\n"};
    char text[1200] = "";
    strcat(text, head);
    for (size_t i = 0; i < COUNT(lines); i++) strcat(text, lines[i]);
    bough_fabric f = fabric_from(text);
    assert_int_equal(fabric_findings(&f, "slow-cable", BOUGH_WARN), 1);
    assert_non_null(strstr(fabric_finding(&f, "slow-cable")->text, "A port 1 to n1 HCA-1 port 1"));
    assert_non_null(strstr(fabric_finding(&f, "slow-cable")->text, "\"Could be 53.125 Gbps\""));
    bough_fabric_fini(&f);
    strcpy(text, head);
    strcat(strcat(text, lines[0]), lines[3]);
    f = fabric_from(text);
    assert_int_equal(fabric_findings(&f, "slow-cable", BOUGH_INFO), 1);
    bough_fabric_fini(&f);
}

static void descriptions_hold_anything(void **state) {
    (void)state;
    static const struct {
        const char *name, *text;
    } files[] = {
        {"a } { b", "{ SW Ports:08 NodeGUID:a0 {a } { b} LID:1 PN:01 } " END_1 UP},
        {"\"x\" (y",
         "Switch: 0xa0 \"x\" (y:\n 1 1[  ] " TO_1
         "CA: n1 HCA-1:\n0x101 2 1[  ] ==( 4X 10.0 Gbps Active/ LinkUp)==> 1 1[  ] \"\"x\" (y\" ( )\n"},
        {"x\" 7 (y",
         "0xa0 \"x\" 7 (y\" 1 1[  ] ==( 4X 10.0 Gbps Active/ LinkUp)==> 0x101 2 1[  ] \"n1 HCA-1\" ( )\n"
         "0xa0 \"x\" 7 (y\" 1 2[  ] ==( Down/ Polling)==> [  ] \"\" ( )\n"
         "0x101 \"n1 HCA-1\" 2 1[  ] ==( 4X 10.0 Gbps Active/ LinkUp)==> 0xa0 1 1[  ] \"x\" 7 (y\" ( )\n"},
        {"x, \"y\"; END_NODES",
         "START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n\"x, \"y\"; END_NODES\",8,2,0xa0\n"
         "\"n1 HCA-1\",1,1,0x100\nEND_NODES\n" PORTS LINKS},
    };
    for (size_t i = 0; i < COUNT(files); i++) {
        bough_fabric f = fabric_from(files[i].text);
        const bough_fabric_port *p = fabric_port(&f, fabric_node(&f, files[i].name), 1);
        assert_int_not_equal(p->peer, BOUGH_NO_INDEX);
        assert_int_equal(fabric_findings(&f, "one-sided-cable", BOUGH_WARN), 0);
        bough_fabric_fini(&f);
    }
}

static void findings_of(const char *text, const char *kind, bough_severity severity, const char *part) {
    bough_fabric f = fabric_from(text);
    if (fabric_findings(&f, kind, severity) != 1 || !strstr(fabric_finding(&f, kind)->text, part))
        fail_msg("%s: %zu, %s", kind, fabric_findings(&f, kind, severity),
                 f.findings.count ? f.findings.item[0].text : "no findings");
    bough_fabric_fini(&f);
}

static void irregular_files(void **state) {
    (void)state;
    findings_of(END_A END_1 "PHY=4x LOG=ACT SPD=??\n", "unknown-rate", BOUGH_WARN, "\"4x??\" is unknown");
    findings_of(END_A END_1 UP END_A "{ CA Ports:01 NodeGUID:200 {n2} LID:0003 PN:01 } " UP, "duplicate-port",
                BOUGH_ERROR, "A port 1 is listed again, with another peer than on line 1");
    findings_of(SWITCH "1 1[  ] " TO_1, "missing-node", BOUGH_ERROR,
                "A port 1 has a cable to port 1 of n1 HCA-1 (LID 2), which is not in the file");
    findings_of(SWITCH "1 1[  ] ==( 4X 10.0 Gbps Init/ LinkUp)==> 0 1[  ] \"n\" ( )\n"
                       "CA: n:\n0x101 0 1[  ] ==( 4X 10.0 Gbps Init/ LinkUp)==> 1 1[  ] \"A\" ( )\n"
                       "CA: n:\n0x201 0 1[  ] ==( 4X 10.0 Gbps Init/ LinkUp)==> 9 1[  ] \"B\" ( )\n",
                "ambiguous-end", BOUGH_ERROR, "which several lines of the file may be");
    findings_of(NODES PORTS LINKS_HEAD "0xa0,1,0x100,1\n0xa0,2,0x999,1\nEND_LINKS\n", "missing-node",
                BOUGH_ERROR, "LINKS names the GUID 0000000000000999, which NODES does not list");
    findings_of(NODES PORTS LINKS_HEAD "0xa0,2,0x100,1\nEND_LINKS\n", "missing-port", BOUGH_WARN,
                "LINKS names port 2 of the node with GUID 00000000000000a0, which PORTS does not list");
    findings_of(NODES PORTS_HEAD "0xa0,0,1,1,0,2,4\n0xa0,0,1,1,0,2,4\nEND_PORTS\n" LINKS, "duplicate-port",
                BOUGH_WARN, "has this port on an earlier line too");
    findings_of(NODES PORTS_HEAD "0xa0,0,1,1,0,2,77\nEND_PORTS\n" LINKS, "unknown-rate", BOUGH_WARN,
                "\"4x77\" is unknown");
    findings_of(NODES
                "START_NODES\nNodeDesc,NumPorts,NodeType,NodeGUID\n\"B\",8,2,0xa0\nEND_NODES\n" PORTS LINKS,
                "duplicate-node", BOUGH_WARN, "names the GUID 00000000000000a0, which was listed before");
    findings_of(NODES PORTS LINKS "START_PM_INFO\na\nEND_PM_INFO\nSTART_X\nEND_X\n", "unused-sections",
                BOUGH_INFO, "2 sections of the file are not used: PM_INFO, X");
}

/* ---- recorded fabrics ---- */

typedef struct form {
    const char *name;
    bool node_guids; /* it has those of adapters, and the number of their ports */
} form;

static char *write_form(const bough_fabric *f, size_t which) {
    switch (which) {
    case 0:
        return write_subnet_list(f, true);
    case 1:
        return write_subnet_list(f, false);
    case 2:
        return write_link_info(f, false);
    case 3:
        return write_link_info(f, true);
    case 4:
        return write_db_csv(f, false);
    default:
        return write_db_csv(f, true);
    }
}

static size_t count_lines(const char *text) {
    size_t count = 0;
    for (; *text; text++) count += *text == '\n';
    return count;
}

/* Writes a fabric in each form, and reads it back. */
static void check_forms(const bough_fabric *recorded, const char *name) {
    static const form forms[] = {{"lst", true},         {"lst, one direction", true},
                                 {"iblinkinfo", false}, {"iblinkinfo --line", false},
                                 {"db_csv", true},      {"db_csv, other order", true}};
    char *cables = cables_of(recorded), *nodes = nodes_of(recorded);
    for (size_t k = 0; k < COUNT(forms); k++) {
        char *text = write_form(recorded, k);
        bough_fabric f = fabric_from(text);
        char *found = cables_of(&f), *found_nodes = nodes_of(&f);
        if (strcmp(found, cables) != 0) fail_msg("%s as %s: other cables: %s", name, forms[k].name, found);
        assert_int_equal(count_lines(found_nodes), count_lines(nodes));
        if (forms[k].node_guids && strcmp(found_nodes, nodes) != 0)
            fail_msg("%s as %s: other nodes", name, forms[k].name);
        fabric_check_shape(&f);
        bough_fabric_fini(&f);
        free(text), free(found), free(found_nodes);
    }
    free(cables), free(nodes);
}

/* All kinds of nodes, adapters of two ports, all speeds and widths. */
static void made_fabric(void **state) {
    (void)state;
    static const char *const lines[] = {
        "S1 lid 1",         "S2 lid 2",           "H1 lid 4",          "H2 lid 6",
        "R1 lid 8",         "A1 lid 9",           "S1:1 H1:1 4xEDR",   "S1:2 H1:2 1xSDR",
        "S2:1 H2:2 4xNDR",  "S1:5 S2:5 12xFDR10", "S1:6 S2:6 8xHDR",   "S1:7 S2:7 4xDDR",
        "S2:40 R1:1 2xXDR", "S2:41 A1:1 4xFDR",   "S1:42 S1:43 4xQDR", NULL};
    char *text = fabric_text(lines);
    bough_fabric f = fabric_from(text);
    check_forms(&f, "the made fabric");
    bough_fabric_fini(&f);
    free(text);
}

/* What OpenSM and infiniband-diags wrote of one fabric. */
static void recorded_lists(void **state) {
    (void)state;
    char *path = data_path("ibsim/ft3-16.ibnetdiscover"), *list = data_path("ibsim/ft3-16.subnet.lst");
    bough_fabric f, g;
    bough_error error;
    if (path && list) {
        assert_int_equal(bough_fabric_read_file(&(bough_fabric_file){path}, &f, &error), BOUGH_OK);
        assert_int_equal(bough_fabric_read_file(&(bough_fabric_file){list}, &g, &error), BOUGH_OK);
        char *a = nodes_of(&f), *b = nodes_of(&g), *c = cables_of(&f), *d = cables_of(&g);
        assert_string_equal(a, b);
        assert_string_equal(c, d);
        assert_int_equal(g.findings.count, 0);
        free(a), free(b), free(c), free(d);
        bough_fabric_fini(&f);
        bough_fabric_fini(&g);
    }
    free(path), free(list);
}

static void same_fabric(void **state) {
    (void)state;
    static const char *const files[] = {"example:cluster.ibnetdiscover",
                                        "fabrics/psmn-x5.opensm.ibnetdiscover",
                                        "fabrics/dgx-ndr.ibnetdiscover", "ibsim/ft3-16.ibnetdiscover"};
    for (size_t i = 0; i < COUNT(files); i++) {
        char *path = data_path(files[i]);
        bough_fabric recorded;
        bough_error error;
        if (!path) continue;
        assert_int_equal(bough_fabric_read_file(&(bough_fabric_file){path}, &recorded, &error), BOUGH_OK);
        check_forms(&recorded, files[i]);
        bough_fabric_fini(&recorded);
        free(path);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_subnet_lists_are_refused),
        cmocka_unit_test(wrong_link_info_is_refused),
        cmocka_unit_test(wrong_databases_are_refused),
        cmocka_unit_test(wrong_dumps_are_refused),
        cmocka_unit_test(wrong_netlists_are_refused),
        cmocka_unit_test(wrong_topologies_of_ibdm_are_refused),
        cmocka_unit_test(topologies_of_ibdm),
        cmocka_unit_test(systems_of_ibnl),
        cmocka_unit_test(small_files),
        cmocka_unit_test(dumps_of_switches),
        cmocka_unit_test(netlists_with_names),
        cmocka_unit_test(slow_cables),
        cmocka_unit_test(descriptions_hold_anything),
        cmocka_unit_test(irregular_files),
        cmocka_unit_test(made_fabric),
        cmocka_unit_test(recorded_lists),
        cmocka_unit_test(same_fabric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
