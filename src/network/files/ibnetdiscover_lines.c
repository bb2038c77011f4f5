#include "network/files/ibnetdiscover_lines.h"

#include "base/memory/memory.h"
#include "base/status/try.h"
#include "base/text/utf8.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bough_status unreadable(const bough_scan *s, bough_error *error, const char *what) {
    return bough_scan_fail(s, error, "%s", what);
}

/* A LID: 0 and 65535 mean none. */
static bough_status read_lid(bough_scan *s, uint32_t *lid, bough_error *error) {
    uint64_t value;
    bough_scan_blanks(s);
    if (!bough_scan_number(s, &value)) return unreadable(s, error, "expected a number after \"lid\"");
    if (value == 0xFFFF) value = 0;
    if (value > BOUGH_LID_MAX)
        return bough_scan_fail(s, error, "LID %" PRIu64 " is too large; unicast LIDs end at %d", value,
                               BOUGH_LID_MAX);
    *lid = (uint32_t)value;
    return BOUGH_OK;
}

static bough_status read_lmc(bough_scan *s, uint8_t *lmc, bough_error *error) {
    uint64_t value;
    bough_scan_blanks(s);
    if (!bough_scan_number(s, &value) || value > 7)
        return unreadable(s, error, "expected a number from 0 to 7 after \"lmc\"");
    *lmc = (uint8_t)value;
    return BOUGH_OK;
}

/* "4xQDR"; without an active link "4x???" or even "?????". */
static bool rate_word(bough_slice word, ibnet_facts *f) {
    const char *text = word.text;
    size_t width = 0;
    while (width < word.length && width < 3 && text[width] >= '0' && text[width] <= '9') width++;
    if (width && width < word.length && text[width] == 'x')
        width++;
    else if (word.length > 2 && text[0] == '?' && text[1] == '?')
        width = 2;
    else
        return false;
    f->has_rate = true;
    f->width = (bough_slice){text, width};
    f->speed = (bough_slice){text + width, word.length - width};
    return true;
}

/* "enhanced port 0", "(scp)", "slot 3", and with -f "s=4 w=2 v=4". */
static bool is_ignored(bough_slice word) {
    static const char *const words[] = {"enhanced", "base", "port", "slot", "0", "(scp)"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (bough_slice_is(word, words[i])) return true;
    if (word.length > 2 && word.text[1] == '=' && strchr("swv", word.text[0])) return true;
    return word.length <= 3 && word.text[0] >= '0' && word.text[0] <= '9'; /* after "port" or "slot" */
}

bough_status ibnet_read_facts(bough_scan *s, ibnet_facts *f, bough_error *error) {
    *f = (ibnet_facts){0};
    while (!bough_scan_done(s) && *s->at != '"') {
        bough_slice word;
        bough_status status = BOUGH_OK;
        bough_scan_word(s, &word);
        if (bough_slice_is(word, "lid"))
            status = read_lid(s, &f->lid, error);
        else if (bough_slice_is(word, "lmc")) {
            status = read_lmc(s, &f->lmc, error);
            f->has_lmc = true;
        } else if (!rate_word(word, f) && !is_ignored(word)) {
            char text[40];
            bough_copy_printable(word.text, word.length, text, sizeof text);
            status = bough_scan_fail(s, error, "unexpected \"%s\"; expected \"lid N\" or a link rate", text);
        }
        if (status) return status;
    }
    return BOUGH_OK;
}

bough_status ibnet_read_node(bough_scan *s, bough_fabric_kind *kind, uint64_t *guid, bough_error *error) {
    static const char *const start[] = {"\"S-", "\"H-", "\"R-"};
    for (int k = 0; k < 3; k++) {
        if (!bough_scan_text(s, start[k])) continue;
        *kind = (bough_fabric_kind)k;
        if (bough_scan_hex(s, guid) && bough_scan_text(s, "\"")) return BOUGH_OK;
        return unreadable(s, error, "invalid GUID in the quoted node name; expected 16 hexadecimal digits");
    }
    return unreadable(s, error, "expected a quoted node name: \"S-\", \"H-\" or \"R-\" and a GUID");
}

/* [1] or [1][ext 7] */
static bough_status read_port_number(bough_scan *s, uint32_t *number, bough_error *error) {
    uint64_t value, external;
    if (!bough_scan_text(s, "[") || !bough_scan_number(s, &value) || !bough_scan_text(s, "]"))
        return unreadable(s, error, "invalid port number; expected it in brackets");
    if (value < 1 || value > BOUGH_PORT_MAX)
        return bough_scan_fail(s, error, "port %" PRIu64 " does not exist; ports are numbered from 1 to %d",
                               value, BOUGH_PORT_MAX);
    *number = (uint32_t)value;
    if (bough_scan_text(s, "[ext ") && (!bough_scan_number(s, &external) || !bough_scan_text(s, "]")))
        return unreadable(s, error, "invalid external port number; expected [ext N]");
    return BOUGH_OK;
}

/* (2c90300000039), or nothing */
static bough_status read_port_guid(bough_scan *s, uint64_t *guid, bough_error *error) {
    *guid = 0;
    bough_scan_blanks(s);
    if (!bough_scan_text(s, "(")) return BOUGH_OK;
    if (bough_scan_hex(s, guid) && bough_scan_text(s, ")")) return BOUGH_OK;
    return unreadable(s, error, "invalid port GUID; expected hexadecimal digits in parentheses");
}

/* The text after # in the line of a port. */
static bough_status read_port_comment(bough_scan *s, ibnet_port *p, bough_error *error) {
    bough_slice description;
    ibnet_facts own, peer = {0};
    bough_status status = ibnet_read_facts(s, &own, error);
    if (status) return status;
    if (!bough_scan_quoted(s, '"', &description))
        return unreadable(s, error, "invalid description of the other end; expected a text in quotes");
    status = ibnet_read_facts(s, &peer, error);
    if (status) return status;
    if (!bough_scan_done(s)) return unreadable(s, error, "unexpected text at the end of the line");
    p->port.own.lid = own.lid;
    p->port.own.lmc = own.lmc;
    p->port.peer_lid = peer.lid;
    p->width = peer.width;
    p->speed = peer.speed;
    p->odd_rate = peer.has_rate && !bough_parsed_rate(&p->port, peer.width, peer.speed);
    return BOUGH_OK;
}

bough_status ibnet_read_port(bough_scan *s, ibnet_port *p, bough_error *error) {
    *p = (ibnet_port){.port = {.line = s->line, .cabled = true}};
    bough_parsed_port *port = &p->port;
    bough_status status = read_port_number(s, &port->own.number, error);
    TRY(read_port_guid(s, &port->own.guid, error));
    if (status) return status;
    bough_scan_blanks(s);
    status = ibnet_read_node(s, &port->peer_kind, &port->peer_key, error);
    TRY(read_port_number(s, &port->peer_number, error));
    TRY(read_port_guid(s, &port->peer_guid, error));
    if (status) return status;
    bough_scan_blanks(s);
    if (bough_scan_text(s, "#")) {
        status = read_port_comment(s, p, error);
        if (status) return status;
    }
    if (!bough_scan_done(s)) return unreadable(s, error, "unexpected text at the end of the line");
    if (s->open && p->odd_rate) return unreadable(s, error, "invalid link rate");
    if (s->open && !port->own.speed[0]) return unreadable(s, error, "expected a link rate such as 4xQDR");
    return BOUGH_OK;
}

enum { LINE_LIKELY = 64 }; /* bytes of a line that is shorter than most */

/* A file that ends within a line may be truncated, which is for the reader to judge. */
static bool is_usual(const bough_scan *line, ibnet_port *port) {
    bough_scan s = *line;
    return *s.at == '[' && !s.open && !ibnet_read_port(&s, port, NULL) && !port->odd_rate;
}

void usual_ports_find(const char *data, size_t size, usual_ports *f) {
    ibnet_port port;
    bough_scan s = {.name = "", .cursor = data, .end = data + size};
    f->count = 0;
    f->zero = memchr(data, 0, size) != NULL;
    if (bough_grow(&f->item, &f->room, size / LINE_LIKELY + 1, sizeof *f->item, NULL)) return;
    while (!f->zero && bough_scan_line(&s)) {
        if (s.at == s.stop || !is_usual(&s, &port)) continue;
        if (bough_grow(&f->item, &f->room, f->count + 1, sizeof *f->item, NULL)) return;
        f->item[f->count++] = (usual_port){s.at, s.cursor, port.port};
    }
}

void usual_ports_fini(usual_ports *f) {
    free(f->item);
}
