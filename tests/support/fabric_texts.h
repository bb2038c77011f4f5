/* Fabrics from texts that must be readable, and what is in them. A failure that a test did not ask for ends
 * it. */
#ifndef TESTS_SUPPORT_FABRIC_TEXTS_H
#define TESTS_SUPPORT_FABRIC_TEXTS_H

#include "formats/fabrics/fabric.h"
#include "network/net.h"

/* Lines to build other files of. */
#define SWITCH_A          "Switch\t8 \"S-00000000000000a0\"\t\t# \"A\" base port 0 lid 1 lmc 0\n"
#define SWITCH_B          "Switch\t8 \"S-00000000000000b0\"\t\t# \"B\" base port 0 lid 2 lmc 0\n"
#define SWITCH_C          "Switch\t8 \"S-00000000000000c0\"\t\t# \"C\" base port 0 lid 3 lmc 0\n"
#define TO_A(port, there) "[" #port "]\t\"S-00000000000000a0\"[" #there "]\t\t# \"A\" lid 1 4xQDR\n"
#define TO_B(port, there) "[" #port "]\t\"S-00000000000000b0\"[" #there "]\t\t# \"B\" lid 2 4xQDR\n"
#define TO_C(port, there) "[" #port "]\t\"S-00000000000000c0\"[" #there "]\t\t# \"C\" lid 3 4xQDR\n"
#define HOST_CA                                                                                              \
    "CA    11  1 0x0000000000000101 4x QDR - SW     1  1 0x00000000000000a0 ( 'n1 HCA-1' - 'A' )\n"

/* Texts that must be refused as INVALID, at this place with a reason that contains this one. */
typedef struct fabric_bad {
    const char *text, *place, *reason;
} fabric_bad;
void fabric_all_refused(const fabric_bad *bad, size_t count);

void fabric_good(const char *text, bough_fabric *fabric);
bough_fabric fabric_from(const char *text);
/* The network of such a fabric, with its endpoints in an order (NULL: as usual). */
bough_net *fabric_net_from(const char *text, const char *order);
/* How many there are of this kind and severity; the first of a kind, which must be there. */
size_t fabric_findings(const bough_fabric *fabric, const char *kind, bough_severity severity);
const bough_finding *fabric_finding(const bough_fabric *fabric, const char *kind);
/* What must be there: a port of a node, the node of a name. */
const bough_fabric_port *fabric_port(const bough_fabric *f, uint32_t node, uint32_t number);
uint32_t fabric_node(const bough_fabric *f, const char *name);
/* What holds of every fabric that could be read. */
void fabric_check_shape(const bough_fabric *f);

#endif
