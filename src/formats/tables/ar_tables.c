/* A section is one of a switch: groups, then the table. Lines are told apart by the section they are in, as
 * entries of both kinds begin with a number. */
#include "formats/tables/ar_tables.h"

#include "base/memory/index_map.h"
#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/scanner.h"
#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "formats/fabrics/finding_list.h"
#include "formats/fabrics/infiniband/infiniband_lines.h"
#include "formats/tables/table_rows.h"

#include <inttypes.h>
#include <stdlib.h>

typedef enum section {
    NO_SWITCH,
    HEAD, /* after a line "Switch": flags */
    GROUPS,
    TABLE,
    PRIVATE /* a table of PLFT 1 and above */
} section;

typedef struct reader {
    const bough_fabric *fabric;
    ar_tables *tables;
    bough_index_map switches; /* GUID -> node */
    bough_finding_log log;
    bough_error *error;
    scanner scan;
    section section;
    ar_switch *at;  /* the switch of the section */
    ar_switch none; /* that of a switch that is not in the fabric */
    uint32_t *spot; /* [AR_GROUP_MAX + 1], by number: index of the group, if that is its number there */
    uint64_t sections, privates, sub_groups, hashed, skipped;
} reader;

static bough_status start_switch(reader *r) {
    scanner *s = &r->scan;
    uint64_t guid;
    scan_blanks(s);
    if (!scan_text(s, "0x") || !scan_hex(s, &guid))
        return scan_fail(s, "invalid GUID of the switch; expected \"Switch 0x\" and hexadecimal digits");
    uint32_t node = bough_index_map_get(&r->switches, guid);
    r->section = HEAD;
    r->sections++;
    r->at = node == BOUGH_NO_INDEX ? &r->none : &r->tables->of[node];
    if (node == BOUGH_NO_INDEX)
        bough_log_finding(&r->log, &(bough_finding_head){BOUGH_WARN, "absent-switch", s->file, s->line},
                          "the groups of the switch with GUID %016" PRIx64
                          ", which is not in the fabric, are ignored",
                          guid);
    else if (r->at->listed)
        bough_log_finding(&r->log, &(bough_finding_head){BOUGH_WARN, "repeated-table", s->file, s->line},
                          "%s has more than one section; of entries that differ the last one is used",
                          r->fabric->node[node].name);
    r->at->listed = true;
    return BOUGH_OK;
}

/* 17,18,19,20,   or nothing */
static bough_status read_ports(reader *r, uint64_t ports[4]) {
    scanner *s = &r->scan;
    while (!scan_done(s)) {
        uint64_t port;
        scan_blanks(s);
        if (!scan_number(s, &port) || port > BOUGH_PORT_MAX)
            return scan_fail(s, "invalid list of ports; expected numbers up to 254, each followed by a "
                                "comma");
        ports[port / 64] |= UINT64_C(1) << port % 64;
        scan_blanks(s);
        if (!scan_text(s, ",") && !scan_done(s))
            return scan_fail(s, "invalid list of ports; expected a comma after each");
    }
    return BOUGH_OK;
}

static bough_status find_group(reader *r, uint32_t number, ar_group **found) {
    ar_switch *w = r->at;
    const uint32_t spot = r->spot[number];
    if (spot < w->groups && w->group[spot].number == number) {
        *found = &w->group[spot];
        return BOUGH_OK;
    }
    bough_status status =
        bough_grow(&w->group, &w->group_capacity, w->groups + 1, sizeof *w->group, r->error);
    if (status) return status;
    r->spot[number] = (uint32_t)w->groups;
    *found = &w->group[w->groups++];
    **found = (ar_group){.number = number};
    return BOUGH_OK;
}

/* 1 0 0 17,18,19,20, */
static bough_status read_group(reader *r) {
    scanner *s = &r->scan;
    uint64_t number, sub, weighted, ports[4] = {0};
    ar_group *group;
    if (!scan_number(s, &number) || number > AR_GROUP_MAX || !scan_blanks(s) || !scan_number(s, &sub) ||
        !scan_blanks(s) || !scan_number(s, &weighted))
        return scan_fail(s, "invalid group; expected its number (at most 65535), sub-group, WHBF and ports");
    bough_status status = read_ports(r, ports);
    TRY(find_group(r, (uint32_t)number, &group));
    if (status) return status;
    bool any = false;
    for (unsigned i = 0; i < 4; i++) group->ports[i] |= ports[i], any |= ports[i] != 0;
    r->sub_groups += sub > 0 && any;
    return BOUGH_OK;
}

static bool read_state(scanner *s, uint8_t *state) {
    static const struct {
        const char *text;
        ar_state state;
    } known[] = {{"Static", AR_STATIC}, {"Free", AR_FREE}, {"Bounded", AR_FREE}, {"HBF", AR_HASHED}};
    bough_slice word;
    if (!scan_word(s, &word)) return false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (bough_slice_is(word, known[i].text)) {
            *state = (uint8_t)known[i].state;
            return true;
        }
    return false;
}

/* 0x0001 17 Free 1 */
static bough_status read_entry(reader *r) {
    scanner *s = &r->scan;
    ar_switch *w = r->at;
    uint64_t lid, port, group = 0;
    ar_entry entry = {0};
    if (!scan_number(s, &lid) || !scan_blanks(s))
        return scan_fail(s, "invalid LID; expected 0x and hexadecimal digits");
    bough_status status = lid_check(s, lid);
    if (status) return status;
    if (!scan_number(s, &port) || port > BOUGH_NO_PORT || !scan_blanks(s))
        return scan_fail(s, "invalid static port; expected a number up to 255");
    if (!read_state(s, &entry.state))
        return scan_fail(s, "invalid state of the LID; expected Static, Free, Bounded or HBF");
    scan_blanks(s);
    if (!scan_number(s, &group) || group > AR_GROUP_MAX || !scan_done(s))
        return scan_fail(s, "invalid group of the LID; expected a number up to 65535");
    entry.port = (uint8_t)port;
    entry.group = (uint16_t)group;
    r->hashed += entry.state == AR_HASHED;
    status = bough_grow(&w->entry, &w->capacity, lid + 1, sizeof *w->entry, r->error);
    if (status) return status;
    while (w->lids <= lid) w->entry[w->lids++] = (ar_entry){.port = BOUGH_NO_PORT};
    w->entry[lid] = entry;
    return BOUGH_OK;
}

/* After "PLFT_NUM:": 0, top:0x24 */
static bough_status read_number_of_table(reader *r) {
    scanner *s = &r->scan;
    uint64_t number;
    scan_blanks(s);
    if (!scan_number(s, &number))
        return scan_fail(s, "invalid number of the table; expected \"PLFT_NUM: 0, top:0x..\"");
    r->section = number ? PRIVATE : TABLE;
    r->privates += number > 0;
    return BOUGH_OK;
}

/* Titles of columns and rules between them. */
static bool is_decoration(const reader *r) {
    const scanner *s = &r->scan;
    return scan_starts(s, "--") || (r->section == GROUPS && scan_starts(s, "Group")) ||
           (r->section >= TABLE && scan_starts(s, "LID"));
}

static bough_status read_line(reader *r) {
    scanner *s = &r->scan;
    scan_blanks(s);
    if (scan_done(s) || *s->at == '#' || scan_text(s, "File version:")) return BOUGH_OK;
    if (scan_text(s, "Switch ")) return start_switch(r);
    if (r->section == NO_SWITCH)
        return scan_fail(s, "expected \"Switch 0x..\", with which ibdiagnet2.far begins a section");
    if (scan_text(s, "Groups Definition:")) {
        r->section = GROUPS;
        return BOUGH_OK;
    }
    if (scan_text(s, "LFT Definition:")) {
        r->section = TABLE;
        scan_blanks(s);
    }
    if (r->section >= TABLE && scan_text(s, "PLFT_NUM:")) return read_number_of_table(r);
    if (scan_done(s) || r->section == HEAD || r->section == PRIVATE || is_decoration(r)) return BOUGH_OK;
    return r->section == GROUPS ? read_group(r) : read_entry(r);
}

static void summarise(reader *r) {
    bough_finding_log *f = &r->log;
    table_log_private(f, r->privates);
    if (r->skipped)
        bough_log_finding(f, &(bough_finding_head){BOUGH_INFO, "tool-message"}, TERMINAL_SKIPPED, r->skipped);
    if (r->sub_groups)
        bough_log_finding(f, &(bough_finding_head){BOUGH_INFO, "sub-group"},
                          "%" PRIu64 " line%s %s ports of sub-groups above 0; all ports of a group count "
                          "alike, whatever their sub-group",
                          r->sub_groups, bough_s(r->sub_groups), r->sub_groups == 1 ? "lists" : "list");
    if (r->hashed)
        bough_log_finding(f, &(bough_finding_head){BOUGH_INFO, "hashed-entry"},
                          "%" PRIu64 " %s %s in state HBF: a hash of the flow selects the port; they "
                          "count as if every packet could take any port of the group",
                          r->hashed, r->hashed == 1 ? "entry" : "entries", r->hashed == 1 ? "is" : "are");
}

static void free_switch(ar_switch *w) {
    FREE_ALL(w->group, w->entry);
}

static void count_bytes(ar_tables *t, const bough_input *input) {
    t->bytes = bough_add(bough_input_bytes(input), t->nodes * sizeof *t->of);
    for (uint32_t n = 0; n < t->nodes; n++)
        t->bytes = bough_add(t->bytes, t->of[n].capacity * sizeof(ar_entry) +
                                           t->of[n].group_capacity * sizeof(ar_group));
}

bough_status ar_tables_parse(const bough_input *input, const bough_fabric *fabric, ar_tables *tables,
                             bough_findings *findings, bough_error *error) {
    *tables = (ar_tables){.nodes = fabric->node_count, .hash = input->hash};
    reader r = {
        .fabric = fabric, .tables = tables, .log = {.out = findings, .source = input->name}, .error = error};
    bough_status status = bough_input_single(input, "file of adaptive routing groups", error);
    TRY(bough_alloc(&tables->of, tables->nodes, sizeof *tables->of, error));
    TRY(bough_alloc(&r.spot, AR_GROUP_MAX + 1, sizeof *r.spot, error));
    TRY(table_switches(fabric, &r.switches, error));
    if (!status) {
        bough_input_piece *piece = input->piece;
        r.skipped = terminal_clean(piece);
        status = scan_start(&r.scan, piece->name, piece->data, piece->size, error);
    }
    while (!status && scan_line(&r.scan)) status = read_line(&r);
    if (!status && !r.sections)
        status = bough_fail(error, BOUGH_INVALID, input->name,
                            "contains no adaptive routing groups; expected ibdiagnet2.far");
    if (!status) {
        summarise(&r);
        count_bytes(tables, input);
    }
    TRY(bough_finding_log_end(&r.log, error));
    free_switch(&r.none);
    free(r.spot);
    bough_index_map_fini(&r.switches);
    if (status) ar_tables_fini(tables);
    return status;
}

bough_status ar_tables_read(const char *path, const bough_fabric *fabric, ar_tables *tables,
                            bough_findings *findings, bough_error *error) {
    bough_input input;
    *tables = (ar_tables){0};
    bough_status status = bough_input_read(path, &input, error);
    if (status) return status;
    status = ar_tables_parse(&input, fabric, tables, findings, error);
    bough_input_fini(&input);
    return status;
}

void ar_tables_fini(ar_tables *t) {
    for (uint32_t n = 0; t->of && n < t->nodes; n++) free_switch(&t->of[n]);
    free(t->of);
    *t = (ar_tables){0};
}
