/* GUIDs and LIDs of the nodes of a network. A fabric has its own. For families they are synthetic, in the
 * range of one vendor, since ibsim and OpenSM only require unique values; LIDs count endpoint ports from 1,
 * then switches. */
#ifndef BOUGH_NETWORK_NODE_IDENTIFIERS_H
#define BOUGH_NETWORK_NODE_IDENTIFIERS_H

#include "network/net.h"

/* The GUID of a node; endpoints that are ports of one adapter share it. */
uint64_t net_node_guid(const bough_net *net, uint64_t node);
/* The GUID of the port that has the LID: the endpoint's own, or the GUID of the switch. */
uint64_t net_port_guid(const bough_net *net, uint64_t node);
/* The first LID of a switch, or of an endpoint port (families: port 0 is the first; endpoints of a fabric
 * have one); 0: unknown, or out of LIDs. */
uint32_t net_lid(const bough_net *net, uint64_t node, uint32_t port);

/* Parses a GUID: 0x and up to 16 hexadecimal digits, or a switch id of ibnetdiscover, S- and 16 digits.
 * Returns false if the text is not a GUID. */
bool net_guid_read(const char *text, size_t length, uint64_t *guid);

/* Returns whether name[0 .. length-1] is the name of the node or, of a switch of a fabric, its description:
 * "rack1" of "MF0;rack1:MSB7700/U1". */
bool net_node_has_name(const bough_net *net, uint64_t node, const char *name, size_t length);
/* Returns the node with this name, or BOUGH_NONE. O(1) if names end in the node number, as "h5" in families,
 * else O(nodes). */
uint64_t net_node_named(const bough_net *net, const char *name);
/* The same, restricted to the O(1) case. */
uint64_t net_node_numbered(const bough_net *net, const char *name);

#endif
