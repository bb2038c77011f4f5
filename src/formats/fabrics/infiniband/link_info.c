/* clang-format off */
/* The output of iblinkinfo. Plain, also with -p: headings, and a line for each port,
 *
 *   Switch: 0x0002c90200400000 L1-0000:
 *              2    1[  ] ==( 4X 10.0 Gbps Active/  LinkUp)==>  1    1[  ] "h0000 HCA-1" (Could be 12X )
 *              2    4[  ] ==(             Down/ Polling)==>          [  ] "" ( )
 *   CA: h0000 HCA-1:
 *         0x0002c90300000001      1    1[  ] ==( 4X ...)==>       2    1[  ] "L1-0000" ( )
 *
 * or, with --line, one line with both GUIDs:
 *
 *   0x0002c90300000001 "h0000 HCA-1"  1  1[  ] ==( 4X ...)==>  0x0002c90200400000  2  1[  ] "L1-0000" ( )
 *
 * The numbers are LID and port; the external number of the port may stand in the brackets. Descriptions may
 * contain quotes. */
/* clang-format on */
#include "formats/fabrics/infiniband/link_info.h"

#include "base/status/try.h"
#include "formats/fabrics/infiniband/infiniband_lines.h"
#include "formats/fabrics/infiniband/link_speeds.h"

#include <inttypes.h>
#include <string.h>

typedef struct reader {
    scanner *scan;
    bough_parsed_fabric *parsed;
    link_info info;
    bough_index_map slow; /* cables that were reported, by both ends */
} reader;

/* The first or last place of a text in the rest of the line; NULL: none. */
static const char *find(const scanner *s, const char *text, bool last) {
    const char *found = NULL;
    size_t size = strlen(text);
    for (const char *at = s->at; at + size <= s->stop && (last || !found); at++)
        if (memcmp(at, text, size) == 0) found = at;
    return found;
}

/* 0x0002c90300000001; *guid stays without one */
static bool read_guid(scanner *s, uint64_t *guid) {
    if (!scan_text(s, "0x")) return true;
    return scan_hex(s, guid);
}

/* "     1    1[  ]" */
static bool read_place(scanner *s, uint64_t *lid, uint64_t *number) {
    scan_blanks(s);
    if (!scan_number(s, lid) || !scan_blanks(s) || !scan_number(s, number) || !scan_text(s, "["))
        return false;
    while (s->at < s->stop && *s->at != ']') s->at++;
    return scan_text(s, "]");
}

static bough_status check_place(const scanner *s, uint64_t lid, uint64_t number, link_info_end *end) {
    bough_status status = port_check(s, number);
    TRY(lid_or_none(s, lid, &end->lid));
    end->number = (uint32_t)number;
    return status;
}

/* With --line: "      h0000 HCA-1", padded on the left. It ends at the first quote behind which a LID and a
 * port follow. */
static bool read_own_description(scanner *s, bough_slice *description) {
    const char *start = s->at + 1;
    uint64_t lid, number;
    for (const char *at = start; at < s->stop; at++) {
        scanner rest = *s;
        rest.at = at + 1;
        if (*at != '"' || !scan_blanks(&rest) || !read_place(&rest, &lid, &number) ||
            !scan_text(&rest, " ==("))
            continue;
        while (start < at && *start == ' ') start++;
        *description = (bough_slice){start, (size_t)(at - start)};
        s->at = at + 1;
        return true;
    }
    return false;
}

static bough_status read_own(reader *r, link_info_port *p) {
    scanner *s = r->scan;
    uint64_t lid, number;
    scan_blanks(s);
    if (!read_guid(s, &p->own.guid))
        return scan_fail(s, "invalid GUID; expected 0x and 16 hexadecimal digits");
    scan_blanks(s);
    if (scan_starts(s, "\"")) {
        p->heading = BOUGH_NO_INDEX;
        if (!p->own.guid || !read_own_description(s, &p->own.description))
            return scan_fail(s, "expected a GUID, a description in quotes, a LID and a port number");
    } else if (p->heading == BOUGH_NO_INDEX) {
        return scan_fail(s, "port before the first heading (\"Switch: 0x.. NAME:\" or \"CA: NAME:\")");
    }
    if (!read_place(s, &lid, &number))
        return scan_fail(s, "expected a LID and a port number, as in \"2 1[  ]\"");
    return check_place(s, lid, number, &p->own);
}

/* 4X          10.0 Gbps (FDR10) Active/  LinkUp; a port that is down has its state alone */
static bough_status read_state(reader *r, link_info_port *p) {
    scanner *s = r->scan, words = *s;
    bough_slice word, first[2] = {0};
    int count = 0;
    const char *stop;
    scan_blanks(s);
    if (!scan_text(s, "==(") || !(stop = find(s, "==>", false)))
        return scan_fail(s, "invalid state of the link; expected ==( 4X 10.0 Gbps Active/ LinkUp)==>");
    words = *s;
    words.stop = stop;
    scan_blanks(&words);
    while (scan_word(&words, &word) && !memchr(word.text, '/', word.length)) {
        if (count < 2) first[count++] = word;
        if (bough_slice_is(word, "(FDR10)")) first[1] = (bough_slice){"FDR10", 5};
        scan_blanks(&words);
    }
    if (!word.length) return scan_fail(s, "invalid state of the link; expected \"Active/\" or \"Down/\"");
    p->width = link_width_name(first[0]);
    p->speed = link_speed_name(first[1]);
    s->at = stop + 3;
    return BOUGH_OK;
}

/* 2    1[  ] "L1-0000" ( ); without another end [  ] "" ( ) */
static bough_status read_peer(reader *r, link_info_port *p) {
    scanner *s = r->scan;
    uint64_t lid, number;
    const char *stop = find(s, "\" (", true);
    if (!stop || !scan_ends(s, ")"))
        return scan_fail(s,
                         "expected the description of the other end in quotes and a remark in parentheses");
    scan_blanks(s);
    if (!read_guid(s, &p->peer.guid))
        return scan_fail(s, "invalid GUID; expected 0x and 16 hexadecimal digits");
    scan_blanks(s);
    if (scan_starts(s, "[")) return BOUGH_OK;
    if (!read_place(s, &lid, &number) || !scan_blanks(s) || !scan_text(s, "\"") || s->at > stop)
        return scan_fail(s, "expected the LID, port number and description of the other end");
    p->cabled = true;
    p->peer.description = (bough_slice){s->at, (size_t)(stop - s->at)};
    return check_place(s, lid, number, &p->peer);
}

/* A cable has a line at each of its ends. */
static bool is_new_cable(reader *r, const link_info_port *p) {
    const uint64_t own = (uint64_t)p->own.lid << 8 | p->own.number,
                   peer = (uint64_t)p->peer.lid << 8 | p->peer.number;
    const uint64_t key = own < peer ? own << 32 | peer : peer << 32 | own;
    if (!p->own.lid || !p->peer.lid) return true;
    if (bough_index_map_get(&r->slow, key) != BOUGH_NO_INDEX) return false;
    bough_index_map_put(&r->slow, key, 1, NULL); /* without memory it is reported twice */
    return true;
}

/* "Could be 100 Gbps", after the description of the other end. */
static bough_slice read_remark(const scanner *line) {
    scanner s = *line;
    const char *open = find(&s, "\" (", true);
    s.at = open ? open : s.stop;
    const char *could = find(&s, "Could be ", false), *end = s.stop - 1; /* before ) */
    while (could && end > could && end[-1] == ' ') end--;
    return could ? (bough_slice){could, (size_t)(end - could)} : (bough_slice){"", 0};
}

static void report_slow(reader *r, const link_info_port *p, bough_severity severity) {
    const bough_slice own =
        p->heading == BOUGH_NO_INDEX ? p->own.description : r->info.heading[p->heading].description;
    bough_log_finding(&r->parsed->log, &(bough_finding_head){severity, "slow-cable", .line = p->line},
                      "the cable from %s port %" PRIu32 " to %s port %" PRIu32
                      " is slower than both of its ends allow: \"%s\"",
                      SHOWN(own), p->own.number, SHOWN(p->peer.description), p->peer.number, SHOWN(p->could));
}

/* Where most cables are so it is how the fabric runs, as in that of ibsim, and no fault of a cable. */
static void report_slow_cables(reader *r) {
    size_t cabled = 0, slow = 0;
    for (size_t i = 0; i < r->info.ports; i++) {
        cabled += r->info.port[i].cabled;
        slow += r->info.port[i].cabled && r->info.port[i].could.length;
    }
    for (size_t i = 0; i < r->info.ports && slow; i++) {
        const link_info_port *p = &r->info.port[i];
        if (p->cabled && p->could.length && is_new_cable(r, p))
            report_slow(r, p, 2 * slow > cabled ? BOUGH_INFO : BOUGH_WARN);
    }
}

static bough_status read_port(reader *r) {
    link_info *info = &r->info;
    link_info_port p = {.heading = info->headings ? (uint32_t)info->headings - 1 : BOUGH_NO_INDEX,
                        .line = r->scan->line,
                        .own.description.text = "",
                        .peer.description.text = ""};
    p.could = read_remark(r->scan);
    bough_status status = read_own(r, &p);
    TRY(read_state(r, &p));
    TRY(read_peer(r, &p));
    TRY(arena_grow(&r->parsed->memory, &info->port, info->ports + 1, sizeof p, r->scan->error));
    if (!status) info->port[info->ports++] = p;
    return status;
}

/* Switch: 0x0002c90200400000 L1-0000:; CA: h0000 HCA-1:. Older versions write no colon behind Switch. */
static bool starts_heading(scanner *s, bough_fabric_kind *kind) {
    static const struct {
        const char *word;
        bough_fabric_kind kind;
    } words[] = {{"Switch: ", BOUGH_FABRIC_SWITCH},
                 {"Switch 0x", BOUGH_FABRIC_SWITCH},
                 {"CA: ", BOUGH_FABRIC_ADAPTER},
                 {"Router: ", BOUGH_FABRIC_ROUTER},
                 {"Rt: ", BOUGH_FABRIC_ROUTER}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!scan_text(s, words[i].word)) continue;
        if (s->at[-1] == 'x') s->at -= 2;
        *kind = words[i].kind;
        return true;
    }
    return false;
}

static bough_status read_heading(reader *r, bough_fabric_kind kind) {
    scanner *s = r->scan;
    link_info *info = &r->info;
    link_info_heading h = {.kind = kind, .line = s->line};
    bool is_switch = kind == BOUGH_FABRIC_SWITCH;
    if (is_switch && (!scan_starts(s, "0x") || !read_guid(s, &h.guid) || !scan_text(s, " ")))
        return scan_fail(s, "invalid heading of a switch; expected \"Switch: 0x0002c90200400000 NAME:\"");
    if (!scan_ends(s, ":")) return scan_fail(s, "expected a colon after the description of the node");
    h.description = (bough_slice){s->at, (size_t)(s->stop - s->at - 1)};
    bough_status status =
        arena_grow(&r->parsed->memory, &info->heading, info->headings + 1, sizeof h, r->scan->error);
    if (!status) info->heading[info->headings++] = h;
    return status;
}

static bough_status read_line(reader *r) {
    bough_fabric_kind kind;
    scanner *s = r->scan;
    if (starts_heading(s, &kind)) return read_heading(r, kind);
    if (find(s, "==(", false)) return read_port(r);
    return scan_fail(s, "expected a line of iblinkinfo: \"Switch: 0x.. NAME:\", \"CA: NAME:\" or a port");
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    reader r = {.scan = scan, .parsed = parsed, .slow.memory = &parsed->memory};
    bough_status status = BOUGH_OK;
    while (!status && scan_line(scan))
        if (!scan_done(scan) && *scan->at != '#') status = read_line(&r);
    TRY(link_info_enter(&r.info, parsed));
    if (!status) report_slow_cables(&r);
    return status;
}

static bool recognise_plain(const scanner *scan) {
    scanner s = *scan;
    bough_fabric_kind kind;
    return starts_heading(&s, &kind) && scan_ends(&s, ":");
}

static bool recognise_line(const scanner *scan) {
    scanner s = *scan;
    uint64_t guid = 0;
    return scan_starts(&s, "0x") && read_guid(&s, &guid) && scan_starts(&s, " \"") && find(&s, "==(", false);
}

const bough_fabric_reader bough_reader_link_info = {
    .format = "iblinkinfo", .rank = 2, .recognise = recognise_plain, .read = read_file};
const bough_fabric_reader bough_reader_link_info_lines = {
    .format = "iblinkinfo --line", .rank = 3, .recognise = recognise_line, .read = read_file};
