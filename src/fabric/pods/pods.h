/* Parts of a large network that a person can name: the subtrees of one level, found from the wiring alone, so
 * that recorded fabrics have them as well. */
#ifndef BOUGH_FABRIC_PODS_PODS_H
#define BOUGH_FABRIC_PODS_PODS_H

#include "network/net.h"

enum { PODS_MOST = 256 };

/* In no pod: switches above the pods, and what has no cable. */
#define PODS_NONE UINT32_MAX

typedef struct net_pod {
    uint64_t first; /* its first switch */
    uint64_t switches, hosts;
} net_pod;

/* Zero-initialise. Pods are numbered from 0 in the order of their first host. */
typedef struct pods {
    /* A pod is connected by the switches up to a level: the highest one at which there are 8 to PODS_MOST,
     * else the lowest with at most PODS_MOST. Where they are more at every level, or only one, a pod is a
     * block of consecutive ones, or of consecutive switches: `blocks`. */
    bool blocks;
    net_pod *pod;
    uint32_t count;
    uint32_t *of;   /* [nodes]: of switches and hosts */
    uint64_t above; /* switches in no pod */
} pods;

/* Time: O(links x levels); 12 bytes a link. Networks of up to 2^32 - 2 nodes. */
bough_status pods_find(const bough_net *net, pods *p, bough_error *error);
void pods_fini(pods *p);

/* "pod 3", or "group 3" of blocks; returns buffer. */
const char *pods_name(const pods *p, uint32_t i, char *buffer, size_t size);
/* The pod of a link: that of its lower end. */
uint32_t pods_of_link(const pods *p, const bough_net *net, uint64_t link);

/* Whether findings name pods: smaller networks are drawn switch by switch. */
bool pods_wanted(const bough_net *net);

#endif
