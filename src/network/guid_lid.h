/* What InfiniBand calls the parts of a network: GUIDs and LIDs. A fabric has its own. Those of a family are
 * of our making, in a vendor's range, as ibsim and OpenSM only ask that they differ; LIDs count the ports of
 * endpoints from 1, then switches. */
#ifndef BOUGH_NETWORK_GUID_LID_H
#define BOUGH_NETWORK_GUID_LID_H

#include "bough/net.h"

/* The node's GUID; endpoints that are ports of one adapter share it. */
uint64_t net_node_guid(const bough_net *net, uint64_t node);
/* The GUID of the port that a LID belongs to: of an endpoint its own, of a switch the node's. */
uint64_t net_port_guid(const bough_net *net, uint64_t node);
/* The first LID of a switch, or of an endpoint's port (families: 0 is the first; a fabric's endpoint has
 * one); 0 unknown, or there are more than LIDs. */
uint32_t net_lid(const bough_net *net, uint64_t node, uint32_t port);

/* A GUID as people and files write it: 0x and up to 16 hexadecimal digits, or a switch's id in
 * ibnetdiscover's files, S- and all 16. False: it is none. */
bool net_guid_read(const char *text, size_t length, uint64_t *guid);

/* The node with this name, or NONE. O(1) where names end in the number of the node, as "h5" does in families,
 * else O(nodes). */
uint64_t net_node_named(const bough_net *net, const char *name);
/* The same where only that first case is looked at. */
uint64_t net_node_numbered(const bough_net *net, const char *name);

#endif
