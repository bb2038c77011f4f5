/* clang-format off */
/* Reads forwarding tables line by line. A file contains any number of them, in any of these forms:
 *
 *   Unicast lids [0-36] of switch Lid 2 guid 0x0002c90200400000 ('L1-0000'):        opensm-lfts.dump
 *   0x0001 001 # Channel Adapter portguid 0x0002c90300000001: 'h0000 HCA-1'
 *   36 lids dumped                                                                  (really the last LID)
 *
 *   Unicast lids [0x0-0x24] of switch Lid 2 guid 0x0002c90200400000 (L1-0000):      ibroute, dump_fts
 *     Lid  Out   Destination
 *          Port     Info
 *   0x0001 001 : (Channel Adapter portguid 0x0002c90300000001: 'h0000 HCA-1')
 *   24 valid lids dumped
 *
 *   dump_ucast_routes: Switch 0x0002c90200400000                                    opensm.fdbs,
 *   PLFT_NUM: 0                                                                     ibdiagnet.fdbs; this
 *   LID    : Port : Hops : Optimal                                                  line in ibdiagnet2.fdbs
 *   0x0001 : 001  : 01   : yes
 *   0x0003 : UNREACHABLE
 *
 * ibroute can print a part of a table, so several tables of one switch are joined. If a LID is listed again,
 * the last entry is used, as in the switch itself. */
/* clang-format on */
#include "formats/fabrics/infiniband/infiniband_lines.h"
#include "formats/tables/lft_tables.h"

#include "base/status/try.h"
#include "base/text/terminal_text.h"
#include "formats/tables/table_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef bough_table_reader reader;

static const char *name(const reader *r) {
    return r->node == BOUGH_NO_INDEX ? "a switch that is not in the fabric" : r->fabric->node[r->node].name;
}

/* Makes room for entries beyond the LIDs of the fabric; more than needed, as more may follow. */
static bough_status lengthen(reader *r) {
    uint32_t lids = r->tables->lids;
    while (lids < r->used) lids = lids < (BOUGH_LID_MAX + 1) / 2 ? 2 * lids : BOUGH_LID_MAX + 1;
    return table_rows_lengthen(r->tables, lids, r->error);
}

/* Stores the current table in the row of its switch. */
static bough_status store(reader *r) {
    const bool again = r->tables->port[r->node] != NULL;
    uint8_t *row = NULL;
    uint64_t differ = 0;
    bough_status status = lengthen(r);
    TRY(table_row(r->tables, r->node, &row, r->error));
    if (status) return status;
    if (r->used > r->longest) r->longest = r->used;
    if (!again) {
        memcpy(row, r->row, r->used);
        return BOUGH_OK;
    }
    for (uint32_t l = 0; l < r->used; l++) {
        if (r->row[l] == BOUGH_NO_PORT) continue;
        differ += row[l] != BOUGH_NO_PORT && row[l] != r->row[l];
        row[l] = r->row[l];
    }
    bough_log_finding(
        &r->log,
        &(bough_finding_head){differ ? BOUGH_WARN : BOUGH_INFO, "repeated-table", r->scan.file, r->line},
        "%s has more than one table; they are joined, and for %" PRIu64 " %s the last one is used", name(r),
        differ, differ == 1 ? "entry that differs" : "entries that differ");
    return BOUGH_OK;
}

/* Ends the current table, at the start of the next or at the end of the file. */
static bough_status end_table(reader *r) {
    bough_status status = BOUGH_OK;
    if (r->form == BOUGH_TABLE_NONE || r->form == BOUGH_TABLE_MULTICAST) goto done;
    if (!r->counted && !r->complained && r->form != BOUGH_TABLE_FDBS)
        bough_log_finding(
            &r->log, &(bough_finding_head){BOUGH_WARN, "unfinished-table", r->scan.file, r->line},
            "the table of %s has no final line with the number of LIDs; it may be truncated", name(r));
    if (r->beyond)
        bough_log_finding(&r->log, &(bough_finding_head){BOUGH_WARN, "beyond-range", r->scan.file, r->line},
                          "the table of %s has %" PRIu64 " %s beyond LID %" PRIu64
                          ", the last one according to its header line",
                          name(r), r->beyond, r->beyond == 1 ? "entry" : "entries", r->last);
    if (r->repeated)
        bough_log_finding(&r->log, &(bough_finding_head){BOUGH_WARN, "repeated-entry", r->scan.file, r->line},
                          "the table of %s has %" PRIu64
                          " %s for LIDs that already had another port; the last one is used",
                          name(r), r->repeated, r->repeated == 1 ? "entry" : "entries");
    if (r->node != BOUGH_NO_INDEX) status = store(r);
done:
    memset(r->row, BOUGH_NO_PORT, r->used);
    r->used = 0;
    r->form = BOUGH_TABLE_NONE;
    return status;
}

static bough_status start_table(reader *r, bough_table_form form, uint64_t guid) {
    bough_status status = end_table(r);
    if (status) return status;
    r->form = form;
    r->node = bough_index_map_get(&r->switches, guid);
    r->line = r->scan.line;
    r->last = UINT64_MAX;
    r->lines = r->beyond = r->repeated = 0;
    r->counted = r->complained = r->private = false;
    r->count++;
    if (r->node == BOUGH_NO_INDEX)
        bough_log_finding(
            &r->log, &(bough_finding_head){BOUGH_WARN, "absent-switch", r->scan.file, r->line},
            "the table of the switch with GUID %016" PRIx64 ", which is not in the fabric, is ignored", guid);
    return BOUGH_OK;
}

/* Tables made for other LIDs lead to wrong destinations, so this is one prominent finding. */
static void compare_lid(reader *r, uint64_t lid) {
    if (r->node == BOUGH_NO_INDEX) return;
    const bough_fabric_node *n = &r->fabric->node[r->node];
    if (!lid || !n->lid || n->lid == lid || r->lid_mismatches++) return;
    char place[64];
    snprintf(r->lid_example, sizeof r->lid_example,
             "%s has LID %" PRIu32 ", but according to its table %" PRIu64 " (%s)", n->name, n->lid, lid,
             bough_format_place(place, sizeof place, r->scan.file, r->line));
}

/* After "Unicast lids ": [0-36] of switch Lid 2 guid 0x0002c90200400000 ('L1-0000'): */
static bough_status read_header(reader *r) {
    static const char what[] =
        "invalid header line of a table; expected \"Unicast lids [0-N] of switch Lid N guid 0x..\"";
    scanner *s = &r->scan;
    uint64_t first, last, lid = 0, guid;
    if (!scan_text(s, "[") || !scan_number(s, &first) || !scan_text(s, "-")) return scan_fail(s, what);
    bool hexadecimal = scan_starts(s, "0x");
    if (!scan_number(s, &last) || !scan_text(s, "] of switch ")) return scan_fail(s, what);
    if (scan_text(s, "Lid ")) scan_number(s, &lid);
    while (s->at < s->stop && !scan_starts(s, "guid 0x")) s->at++;
    if (!scan_text(s, "guid 0x") || !scan_hex(s, &guid) || !scan_blanks(s)) return scan_fail(s, what);
    if (s->open && !scan_ends(s, "):")) return scan_fail(s, what);
    bough_status status = start_table(r, hexadecimal ? BOUGH_TABLE_IBROUTE : BOUGH_TABLE_LFTS, guid);
    if (status) return status;
    r->last = last;
    compare_lid(r, lid);
    return BOUGH_OK;
}

/* After "dump_ucast_routes: Switch ": 0x0002c90200400000 */
static bough_status read_fdbs_header(reader *r) {
    scanner *s = &r->scan;
    uint64_t guid;
    const char *digits = s->at + 2;
    if (!scan_text(s, "0x") || !scan_hex(s, &guid) || (s->open && s->at - digits != 16) || !scan_done(s))
        return scan_fail(s, "invalid GUID of the switch; expected 0x and 16 hexadecimal digits");
    return start_table(r, BOUGH_TABLE_FDBS, guid);
}

/* After the port: # Channel Adapter portguid 0x0002c90300000001: .. */
static void compare_guid(reader *r, uint32_t lid) {
    scanner *s = &r->scan;
    uint64_t guid, owner = r->owner[lid];
    if (!entry_has_other_guid(owner, s, &guid) || r->guid_mismatches++) return;
    char place[64], by[32];
    snprintf(by, sizeof by, owner == 1 ? "a switch" : "GUID %016" PRIx64, owner);
    snprintf(r->guid_example, sizeof r->guid_example,
             "LID %" PRIu32 " is %s in the fabric, but GUID %016" PRIx64 " here (%s)", lid, by, guid,
             bough_format_place(place, sizeof place, s->file, s->line));
}

static void enter(reader *r, uint32_t lid, uint8_t port) {
    r->lines++;
    if (lid > r->last) r->beyond++;
    if (lid >= r->used) r->used = lid + 1;
    r->repeated += r->row[lid] != BOUGH_NO_PORT && r->row[lid] != port;
    r->row[lid] = port;
}

/* The same for all lines of a run. */
static void enter_run(reader *r, const usual_run *run, const uint8_t *port) {
    const uint32_t end = run->lid + run->lines;
    if (run->lid < r->used) {
        for (uint32_t i = 0; i < run->lines; i++) enter(r, run->lid + i, port[i]);
        return;
    }
    r->lines += run->lines;
    if (end - 1 > r->last) r->beyond += end - 1 - r->last < run->lines ? end - 1 - r->last : run->lines;
    r->used = end;
    memcpy(r->row + run->lid, port, run->lines);
}

/* Reads the next lines if they are a run of usual ones. Returns false for all others, and has read nothing.
 */
static bool read_run(reader *r) {
    const usual_lines *u = r->usual;
    while (r->run < u->runs && u->run[r->run].start < r->scan.cursor) r->run++;
    if (r->run == u->runs || u->run[r->run].start != r->scan.cursor || r->private) return false;
    if (r->form != BOUGH_TABLE_LFTS && r->form != BOUGH_TABLE_IBROUTE) return false;
    const usual_run *run = &u->run[r->run];
    enter_run(r, run, u->port + run->port);
    r->scan.cursor = run->end;
    r->scan.line += run->lines;
    r->scan.open = false;
    return true;
}

/* The output port of an entry: a number followed by more text, or one with three digits. */
static bool read_output(scanner *s, uint64_t *port) {
    const char *start = s->at;
    if (!scan_number(s, port)) return false;
    return s->at < s->stop ? *s->at == ' ' || *s->at == '\t' : !s->open || s->at - start >= 3;
}

/* 0x0001 001 # ..; 0x0001 001 : (..); 0x0001 : 001  : 01   : yes; 0x0001 : UNREACHABLE */
static bough_status read_entry(reader *r) {
    scanner *s = &r->scan;
    uint64_t lid, port = BOUGH_NO_PORT;
    bool fdbs = r->form == BOUGH_TABLE_FDBS;
    if (r->form == BOUGH_TABLE_NONE) return scan_fail(s, "entry before the header line of a table");
    if (!scan_number(s, &lid) || !scan_blanks(s))
        return scan_fail(s, "invalid LID; expected 0x and hexadecimal digits");
    const bough_status status = lid_check(s, lid);
    if (status) return status;
    if (fdbs && (!scan_text(s, ":") || !scan_blanks(s)))
        return scan_fail(s, "invalid entry; expected \"LID : port : hops : yes\"");
    bool unreachable = fdbs && scan_text(s, "UNREACHABLE");
    if (unreachable && !scan_done(s)) return scan_fail(s, "unexpected text after UNREACHABLE");
    if (!unreachable && !read_output(s, &port)) return scan_fail(s, "invalid output port; expected a number");
    if (port > BOUGH_NO_PORT)
        return scan_fail(s, "port %" PRIu64 " does not exist; switches have at most %d ports", port,
                         BOUGH_PORT_MAX);
    enter(r, (uint32_t)lid, (uint8_t)port);
    compare_guid(r, (uint32_t)lid);
    return BOUGH_OK;
}

/* Returns whether the line is "36 lids dumped" or "24 valid lids dumped ". OpenSM writes the last LID
 * there. */
static bool read_count(reader *r) {
    scanner s = r->scan;
    uint64_t count;
    if (!scan_number(&s, &count) || !scan_text(&s, " ")) return false;
    scan_text(&s, "valid ");
    if (!scan_text(&s, "lids dumped") || !scan_done(&s)) return false;
    if (r->form == BOUGH_TABLE_NONE) return true;
    if (count != r->lines && !(r->form == BOUGH_TABLE_LFTS && count == r->last))
        bough_log_finding(&r->log, &(bough_finding_head){BOUGH_WARN, "wrong-count", s.file, s.line},
                          "the table of %s has %" PRIu64 " %s, but its last line states %" PRIu64, name(r),
                          r->lines, r->lines == 1 ? "entry" : "entries", count);
    r->counted = true;
    return true;
}

/* PLFT_NUM: 1. A switch with private tables selects one by virtual lane and port; only the first is read. */
static bool read_private(reader *r) {
    scanner s = r->scan;
    uint64_t number;
    if (!scan_text(&s, "PLFT_NUM: ") || !scan_number(&s, &number) || !scan_done(&s)) return false;
    r->private = number > 0;
    r->privates += r->private;
    return true;
}

/* Lines without relevant content. */
static bool is_ignored(reader *r) {
    scanner *s = &r->scan;
    if (scan_done(s) || *s->at == '#') return true;
    if (scan_starts(s, "Lid  Out ") || scan_starts(s, "Port     Info") || scan_starts(s, "LID    : Port") ||
        read_private(r))
        return true;
    if (!terminal_noise(s)) return false;
    r->skipped++;
    r->complained = true;
    return true;
}

/* Moves behind the words before the GUID of a table. */
static bool skip_fdbs_words(scanner *s) {
    static const char *const words[] = {"dump_ucast_routes: Switch ",
                                        "osm_ucast_mgr_dump_ucast_routes: Switch ",
                                        "__osm_ucast_mgr_dump_ucast_routes: Switch "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (scan_text(s, words[i])) return true;
    return false;
}

static bough_status read_line(reader *r) {
    scanner *s = &r->scan;
    if (r->private && scan_starts(s, "0x")) return BOUGH_OK;
    if (scan_starts(s, "0x") && r->form != BOUGH_TABLE_MULTICAST) return read_entry(r);
    if (scan_text(s, "Unicast lids ")) return read_header(r);
    if (skip_fdbs_words(s)) return read_fdbs_header(r);
    if (scan_starts(s, "Multicast mlids ")) {
        bough_status status = end_table(r);
        r->form = BOUGH_TABLE_MULTICAST;
        r->multicast++;
        return status;
    }
    if (r->form == BOUGH_TABLE_MULTICAST || read_count(r) || is_ignored(r)) return BOUGH_OK;
    return scan_fail(s, r->count ? "expected a line of a forwarding table, as 0x0001 001, or 0x0001 : 001 "
                                   "in the form of opensm.fdbs"
                                 : "is not a forwarding table file; expected opensm-lfts.dump, opensm.fdbs, "
                                   "ibdiagnet2.fdbs or the output of ibroute or dump_fts");
}

/* Reads the lines from the cursor on, of which the usual ones were found. */
static bough_status read_lines(reader *r, const usual_lines *usual) {
    bough_status status = BOUGH_OK;
    r->usual = usual;
    r->run = 0;
    while (!status) {
        if (read_run(r)) continue;
        if (!scan_line(&r->scan)) break;
        status = read_line(r);
    }
    return status;
}

static void find_usual(void *context, unsigned worker, const input_part *part) {
    reader *r = context;
    usual_lines_find(r->memory[worker], part->data, part->size, &r->found[part->number]);
}

static bough_status read_part(void *context, const input_part *part) {
    reader *r = context;
    const usual_lines *usual = &r->found[part->number];
    bough_status status = BOUGH_OK;
    if (!part->size) return BOUGH_OK;
    if (usual->zero) status = scan_more(&r->scan, part->data, part->size);
    r->scan.cursor = part->data;
    r->scan.end = part->data + part->size;
    TRY(read_lines(r, usual));
    return status;
}

bough_status bough_tables_read_blocks(bough_table_reader *r, input_blocks *blocks,
                                      const bough_tables_file *file) {
    const input_taker taker = {find_usual, read_part, r};
    bough_status status = scan_start(&r->scan, file->path, "", 0, r->error);
    TRY(input_blocks_each(blocks, file->threads, &taker, r->error));
    return status ? status : end_table(r);
}

enum { PIECE_PART = 1 << 20 };

bough_status bough_tables_read_piece(bough_table_reader *r, bough_input_piece *piece) {
    if (terminal_escapes(piece->data, piece->size)) r->skipped += terminal_clean(piece);
    const char *at = piece->data, *end = piece->data + piece->size;
    bough_status status = scan_start(&r->scan, piece->name, piece->data, piece->size, r->error);
    while (!status && at < end) {
        const size_t left = (size_t)(end - at), most = left < PIECE_PART ? left : PIECE_PART;
        const char *stop = memchr(at + most - 1, '\n', left - most + 1);
        const input_part part = {at, stop ? (size_t)(stop + 1 - at) : left, 0};
        find_usual(r, 0, &part);
        status = read_part(r, &part);
        at += part.size;
    }
    return status ? status : end_table(r);
}

/* The GUID of the switch in a header line, whose first words were read; 0: none. */
static uint64_t header_guid(scanner *s) {
    uint64_t guid = 0;
    while (s->at < s->stop && !scan_text(s, "0x")) s->at++;
    return scan_hex(s, &guid) ? guid : 0;
}

size_t bough_tables_count(const char *data, size_t size, size_t most, uint64_t *guid) {
    size_t count = 0;
    scanner s;
    *guid = 0;
    if (scan_start(&s, "", data, size, NULL)) return 0;
    while (count < most && terminal_next_line(&s)) {
        bool unicast = scan_text(&s, "Unicast lids [");
        if (unicast)
            while (s.at < s.stop && !scan_text(&s, "guid ")) s.at++;
        if (unicast || skip_fdbs_words(&s)) {
            if (!count++) *guid = header_guid(&s);
        } else if (!count && !scan_done(&s) && *s.at != '#') {
            return 0;
        }
    }
    return count;
}
