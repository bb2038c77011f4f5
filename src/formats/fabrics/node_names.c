/* The node name map of OpenSM and infiniband-diags (ib-node-name-map): names of nodes by GUID, for switches
 * that do not describe themselves.
 *
 *   # a comment
 *   0x0002c902400db9e0  "leaf-12"
 */
#include "base/status/try.h"
#include "base/text/terminal_text.h"
#include "formats/fabrics/parsed_fabric.h"

#include <inttypes.h>

typedef struct reader {
    scanner in;
    bough_parsed_fabric *parsed;
    bough_index_map nodes; /* by GUID */
    uint64_t unknown;
} reader;

static bough_status index_nodes(reader *r) {
    bough_parsed_fabric *parsed = r->parsed;
    bough_status status = BOUGH_OK;
    for (uint32_t n = 0; n < parsed->node_count && !status; n++)
        if (bough_index_map_get(&r->nodes, parsed->node[n].guid) == BOUGH_NO_INDEX)
            status = bough_index_map_put(&r->nodes, parsed->node[n].guid, n, parsed->error);
    return status;
}

static bough_status set_name(reader *r, uint64_t guid, bough_slice name) {
    const uint32_t node = bough_index_map_get(&r->nodes, guid);
    if (node == BOUGH_NO_INDEX) return r->unknown++, BOUGH_OK;
    return arena_copy_bytes(r->parsed->kept, &r->parsed->node[node].description, name.text, name.length,
                            r->parsed->error);
}

static bough_status read_line(reader *r) {
    scanner *s = &r->in;
    uint64_t guid;
    bough_slice name;
    scan_blanks(s);
    if (scan_done(s) || *s->at == '#') return BOUGH_OK;
    scan_text(s, "0x");
    if (!scan_hex(s, &guid) || !scan_blanks(s) || !scan_text(s, "\""))
        return scan_fail(s, "expected a GUID and a name in quotes, as in 0x0002c902400db9e0 \"leaf-12\"");
    const char *end = memchr(s->at, '"', (size_t)(s->stop - s->at));
    name = (bough_slice){s->at, end ? (size_t)(end - s->at) : 0};
    if (!name.length) return scan_fail(s, "expected a name in quotes behind the GUID");
    s->at = end + 1;
    if (!scan_done(s) && *s->at != '#') return scan_fail(s, "unexpected text behind the name");
    return set_name(r, guid, name);
}

static bough_status read_map(reader *r, bough_input_piece *piece) {
    bough_parsed_fabric *parsed = r->parsed;
    terminal_clean(piece);
    bough_status status = scan_start(&r->in, piece->name, piece->data, piece->size, parsed->error);
    r->in.ends = false; /* people write it */
    TRY(index_nodes(r));
    while (!status && scan_line(&r->in)) status = read_line(r);
    if (!status && r->unknown)
        bough_log_finding(&parsed->log, &(bough_finding_head){BOUGH_INFO, "names", .where = piece->name},
                          "GUIDs that no node of the fabric has: %" PRIu64, r->unknown);
    return status;
}

bough_status bough_fabric_read_names(bough_parsed_fabric *parsed, const char *path, uint64_t *hash) {
    reader r = {.parsed = parsed, .nodes.memory = &parsed->memory};
    bough_input input;
    if (parsed->made_ids)
        return bough_fail(parsed->error, BOUGH_INVALID, parsed->name,
                          "names= gives names by GUID; this file has no GUIDs");
    bough_status status = bough_input_read(path, &input, parsed->error);
    if (status) return status;
    *hash = *hash * 31 + input.hash;
    status = bough_input_single(&input, "map of node names", parsed->error);
    TRY(read_map(&r, input.piece));
    bough_input_fini(&input);
    return status;
}
