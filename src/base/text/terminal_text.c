#include "base/text/terminal_text.h"

#include <ctype.h>

#define ESC '\x1b'
#define BOM "\xef\xbb\xbf"

/* ---- messages ---- */

enum { MARK_WITHIN = 256 }; /* bytes of a line in which the mark of a message stands */

/* "ibwarn:", at the start of the line or behind the name of the tool and a colon. */
static bool has_mark(const scanner *line) {
    static const char *const marks[] = {"ibwarn:", "iberror:", "ibpanic:"};
    scanner s = *line;
    const char *end = s.stop - s.at < MARK_WITHIN ? s.stop : s.at + MARK_WITHIN;
    for (; s.at < end && !strchr("\"',[=", *s.at); s.at++) {
        const bool first = s.at == line->at || (s.at[-1] == ' ' && s.at - line->at > 1 && s.at[-2] == ':');
        for (size_t m = 0; first && m < sizeof marks / sizeof *marks; m++)
            if (scan_starts(&s, marks[m])) return true;
    }
    return false;
}

/* "src/query_smp.c:195; umad (DR path slid ..": a line of C that complains. */
static bool is_source_line(const scanner *line) {
    scanner s = *line;
    bough_slice place;
    uint64_t number;
    if (!scan_word(&s, &place) || place.length < 5 || !strchr(":;", place.text[place.length - 1]))
        return false;
    s = scan_part(line, (bough_slice){place.text, place.length - 1});
    while (s.at < s.stop && !scan_starts(&s, ".c:")) s.at++;
    return scan_text(&s, ".c:") && scan_number(&s, &number) && s.at == s.stop;
}

/* What ssh, shells and tools print around their data. */
static bool is_message(const scanner *line) {
    static const char *const starts[] = {"SubnGet() failed",
                                         "DR path",
                                         "-I- ",
                                         "-W- ",
                                         "-E- ",
                                         "-F- ",
                                         "Warning: Permanently added ",
                                         "Warning: the ECDSA host key",
                                         "Pseudo-terminal will not be allocated",
                                         "Last login: ",
                                         "Script started on ",
                                         "Script done on ",
                                         "Shared connection to ",
                                         "Connection to ",
                                         "[sudo] password for ",
                                         "sudo: ",
                                         "bash: ",
                                         "-bash: "};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (scan_starts(line, starts[i])) return true;
    const bough_slice all = {line->at, (size_t)(line->stop - line->at)};
    return bough_slice_is(all, "logout") || bough_slice_is(all, "exit") || is_source_line(line) ||
           has_mark(line);
}

/* ---- prompts ---- */

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '.' || c == '_' || c == '-';
}

static bool skip_name(scanner *s) {
    const char *start = s->at;
    while (s->at < s->stop && is_name(*s->at)) s->at++;
    return s->at > start;
}

/* The mark before a command, which a blank or the end of the line follows. */
static bool is_mark(const scanner *s) {
    return s->at < s->stop && strchr("#$%", *s->at) && (s->at + 1 == s->stop || s->at[1] == ' ');
}

static bool skip_to(scanner *s, char close) {
    const char *end = memchr(s->at, close, (size_t)(s->stop - s->at));
    if (!end) return false;
    s->at = end + 1;
    return true;
}

/* [root@head ~]# ibnetdiscover */
static bool is_bracketed_prompt(const scanner *line) {
    scanner s = *line;
    return scan_text(&s, "[") && skip_name(&s) && scan_text(&s, "@") && skip_name(&s) && skip_to(&s, ']') &&
           (scan_blanks(&s), is_mark(&s));
}

/* "~/logs", up to a blank or the mark. */
static bool skip_path(scanner *s) {
    if (!scan_starts(s, "~") && !scan_starts(s, "/")) return false;
    while (s->at < s->stop && *s->at != ' ' && !is_mark(s)) s->at++;
    return true;
}

/* ":mgmt" before a path: the VRF that a shell of Cumulus Linux is in. */
static void skip_vrf(scanner *s) {
    scanner vrf = *s;
    if (scan_text(&vrf, ":") && skip_name(&vrf) && scan_starts(&vrf, ":")) *s = vrf;
}

/* "(config)", " [standalone: master]": the mode of a switch. */
static bool skip_mode(scanner *s) {
    scanner mode = *s;
    const bool blank = scan_blanks(&mode);
    bool known = scan_text(&mode, "(config") && skip_to(&mode, ')');
    if (!known && blank && scan_text(&mode, "["))
        known = skip_name(&mode) && scan_text(&mode, ":") && skip_to(&mode, ']');
    if (known) s->at = mode.at;
    return known;
}

/* "admin@sw1:~$ cmd", "head:~ # cmd", "sw1 [standalone: master] (config) # cmd", "sw1# cmd"; but "node1 # a
 * comment" is none. */
static bool is_named_prompt(const scanner *line) {
    scanner s = *line;
    if (scan_text(&s, "(") && (!skip_name(&s) || !scan_text(&s, ") "))) return false; /* "(venv) " */
    if (s.at == s.stop || !isalpha((unsigned char)*s.at) || !skip_name(&s)) return false;
    bool sure = scan_text(&s, "@") && skip_name(&s);
    if (sure) skip_vrf(&s);
    if (scan_text(&s, ":") || (sure && scan_blanks(&s))) sure |= skip_path(&s);
    while (skip_mode(&s)) sure = true;
    return (!scan_blanks(&s) || sure) && is_mark(&s);
}

static bool is_prompt(const scanner *s) {
    return scan_starts(s, "$ ") || (scan_starts(s, "$") && s->stop - s->at == 1) || is_bracketed_prompt(s) ||
           is_named_prompt(s);
}

/* ---- escape sequences ---- */

/* The end of a text that names a title of the window: a bell or ESC \. */
static const char *end_of_title(const char *at, const char *stop) {
    for (; at < stop; at++) {
        if (*at == '\a') return at + 1;
        if (*at == ESC && stop - at > 1 && at[1] == '\\') return at + 2;
    }
    return stop;
}

/* Returns the end of the sequence that begins here; `at` itself: it is none. */
static const char *end_of_escape(const char *at, const char *stop) {
    const char *end = at + 2;
    if (*at != ESC || stop - at < 2) return at;
    if (at[1] == ']') return end_of_title(end, stop);
    if (at[1] == '=' || at[1] == '>') return end;
    if (at[1] == '(' || at[1] == ')') return end < stop ? end + 1 : at;
    if (at[1] != '[') return at;
    while (end < stop && *end >= 0x20 && *end < 0x40) end++;
    return end < stop && *end >= 0x40 && *end < 0x7f ? end + 1 : at;
}

/* Copies a line without them; returns its end. The end of a command is ESC[?2004l and a carriage return. */
static char *copy_plain(char *to, const char *at, const char *stop) {
    char *const start = to;
    while (at < stop) {
        const char *end = end_of_escape(at, stop);
        if (end > at)
            at = end;
        else if (*at == '\r' && to == start && stop - at > 1)
            at++;
        else
            *to++ = *at++;
    }
    return to;
}

bool terminal_escapes(const char *data, size_t size) {
    return size && memchr(data, ESC, size);
}

static void skip_escapes(scanner *s) {
    for (const char *end; s->at < s->stop && (end = end_of_escape(s->at, s->stop)) > s->at;) s->at = end;
    while (s->at < s->stop && *s->at == '\r') s->at++;
}

/* No prompt and no message begins like most lines of data. */
static bool is_likely_data(const scanner *s) {
    if (s->at == s->stop || isdigit((unsigned char)*s->at) || strchr("\"#{<", *s->at)) return true;
    return *s->at == '[' && s->stop - s->at > 1 && isdigit((unsigned char)s->at[1]);
}

enum { PLAIN_MAX = 512 }; /* bytes of a line with escape sequences that are looked at */

bool terminal_noise(const scanner *line) {
    char plain[PLAIN_MAX];
    scanner s = *line;
    if (s.at == s.stop) return false;
    if (terminal_escapes(s.at, (size_t)(s.stop - s.at))) {
        const char *stop = s.stop - s.at < PLAIN_MAX ? s.stop : s.at + PLAIN_MAX;
        s.stop = copy_plain(plain, s.at, stop);
        s.at = plain;
        if (s.at == s.stop) return true;
    }
    return !is_likely_data(&s) && (is_prompt(&s) || is_message(&s));
}

bool terminal_next_line(scanner *s) {
    while (scan_line(s)) {
        if (terminal_noise(s)) continue;
        skip_escapes(s);
        return true;
    }
    return false;
}

/* Moves a line to where the cleaned text ends, without escape sequences. Returns its end there. */
static char *move_line(char *to, const char *at, const char *stop) {
    if (terminal_escapes(at, (size_t)(stop - at))) return copy_plain(to, at, stop);
    if (to != at) memmove(to, at, (size_t)(stop - at));
    return to + (stop - at);
}

uint64_t terminal_clean(bough_input_piece *piece) {
    uint64_t skipped = 0;
    const char *at = piece->data, *const end = at + piece->size;
    char *to = piece->data;
    if (piece->size >= strlen(BOM) && memcmp(at, BOM, strlen(BOM)) == 0) at += strlen(BOM);
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        char *const start = to;
        to = move_line(to, at, stop ? stop : end);
        scanner line = {.at = start, .stop = to};
        if (line.stop > line.at && line.stop[-1] == '\r') line.stop--;
        if (terminal_noise(&line)) to = start, skipped++;
        if (stop) *to++ = '\n';
        at = stop ? stop + 1 : end;
    }
    piece->size = (size_t)(to - piece->data);
    *to = 0;
    return skipped;
}

uint64_t terminal_clean_all(bough_input *input) {
    uint64_t skipped = 0;
    for (size_t i = 0; i < input->count; i++) skipped += terminal_clean(&input->piece[i]);
    return skipped;
}
