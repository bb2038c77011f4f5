/* Small fabrics and tables written down in a few words, the files of shared/data, and an independent tracer
 * of tables. A failure that a test did not ask for ends it. */
#ifndef TESTS_SUPPORT_FABRICS_H
#define TESTS_SUPPORT_FABRICS_H

#include "network/net.h"
#include "routing/routing.h"
#include "support/specs.h"

/* lines (the last is NULL) name nodes, "S1 lid 2", "H1 lid 4 lmc 2", and cables, "S1:5 S2:1" or "S1:5 S2:1
 * 4xDDR" (else 4xQDR). The first letter says what a node is: S switch, H adapter, A aggregation node, R
 * router. Node i (from 0) has GUID 256 (i + 1), port p of an adapter that plus p, and the LID of the node
 * plus (p - 1) 2^lmc. Heap string: what ibnetdiscover prints of it. */
char *fabric_text(const char *const *lines);
/* lines "S1 4>1 6>2": forwarding tables of that fabric as opensm-lfts.dump. Heap string. */
char *tables_text(const char *const *fabric, const char *const *lines);

/* The network of a fabric; options may be NULL. */
bough_net *fabric_net(const char *const *lines, const bough_fabric_options *options);
/* The same with tables: lft. Freed with bough_routing_destroy, then bough_net_destroy of its net. */
bough_routing *fabric_routing(const char *const *fabric, const char *const *tables);

/* Adds the path of a file to a spec, "ibnet:file=" or "lft:file=", where it may need quotes. Heap string. */
char *spec_of(const char *name, const char *path);

/* A file in a directory of this process; the path stays valid. size 0: strlen. gz: compressed. */
const char *temporary_file(const char *name, const char *text, size_t size);
const char *temporary_gz(const char *name, const char *text);
const char *temporary_name(const char *name);

/* The path of a file of shared/data or, with "example:", of examples/fabric; NULL where there is none. Heap
 * string. */
char *data_path(const char *name);

const bough_finding *find_finding(const bough_findings *findings, const char *kind);
size_t count_findings(const bough_findings *findings, const char *kind);

/* What a table walk by hand says: from the files' own ports and tables, without networks and routings. Loads
 * are flows of routed pairs on a port's outgoing wire. */
typedef struct traced {
    uint32_t endpoints;
    uint32_t *port; /* fabric port of each endpoint, in order */
    uint64_t routed, no_entry, wrong_adapter, loops, hops[64];
    uint64_t alltoall_max, shift_max, shift_worst_k;
    uint64_t *load;  /* per fabric port, all-to-all */
    uint64_t *shift; /* per k: largest */
    double shift_mean;
} traced;
/* Endpoints: adapter ports with a cable and a LID (aggregation nodes only where asked for) by LID, or by
 * name. */
traced trace_tables(const bough_fabric *fabric, const bough_tables *tables, bool by_name, bool aggregation);
void traced_free(traced *t);

#endif
