#include "formats/fabrics/neighbour_columns.h"

#include "base/status/try.h"
#include "base/text/measures.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Words of the names of columns in exports of other programs: "Peer Node", "source_port", "StartDevice". */
enum { WORD = 16, NO_SIDE = 2 };
typedef struct column_name {
    bool role[RATE + 1]; /* roles that its words name */
    unsigned side;       /* 0, 1; NO_SIDE: it names none */
    bool plain;          /* the side is a number, as in "node1" */
    bool other;          /* it has a word that is none of these */
} column_name;

static const struct column_word {
    const char *word;
    neighbour_role role;
    unsigned side;
} column_words[] = {{"local", OTHER, 0},
                    {"source", OTHER, 0},
                    {"src", OTHER, 0},
                    {"start", OTHER, 0},
                    {"from", OTHER, 0},
                    {"a", OTHER, 0},
                    {"1", OTHER, 0},
                    {"peer", OTHER, 1},
                    {"remote", OTHER, 1},
                    {"dest", OTHER, 1},
                    {"destination", OTHER, 1},
                    {"dst", OTHER, 1},
                    {"target", OTHER, 1},
                    {"end", OTHER, 1},
                    {"to", OTHER, 1},
                    {"neighbor", OTHER, 1},
                    {"neighbour", OTHER, 1},
                    {"b", OTHER, 1},
                    {"z", OTHER, 1},
                    {"2", OTHER, 1},
                    {"node", NODE, NO_SIDE},
                    {"device", NODE, NO_SIDE},
                    {"system", NODE, NO_SIDE},
                    {"host", NODE, NO_SIDE},
                    {"hostname", NODE, NO_SIDE},
                    {"switch", NODE, NO_SIDE},
                    {"server", NODE, NO_SIDE},
                    {"port", PORT, NO_SIDE},
                    {"interface", PORT, NO_SIDE},
                    {"ifname", PORT, NO_SIDE},
                    {"intf", PORT, NO_SIDE},
                    {"nic", PORT, NO_SIDE},
                    {"rate", RATE, NO_SIDE},
                    {"speed", RATE, NO_SIDE},
                    {"bandwidth", RATE, NO_SIDE},
                    {"band", RATE, NO_SIDE},
                    {"name", OTHER, NO_SIDE},
                    {"fields", OTHER, NO_SIDE},
                    {"width", OTHER, NO_SIDE},
                    {"link", OTHER, NO_SIDE}};
enum { COLUMN_WORDS = sizeof column_words / sizeof *column_words };

static void add_word(column_name *n, const char *word) {
    size_t i = 0;
    while (i < COLUMN_WORDS && strcmp(column_words[i].word, word) != 0) i++;
    if (i == COLUMN_WORDS) {
        n->other = true;
        return;
    }
    if (column_words[i].role) n->role[column_words[i].role] = true;
    if (column_words[i].side == NO_SIDE) return;
    n->other |= n->side != NO_SIDE;
    n->side = column_words[i].side;
    n->plain = strchr("12", *word) != NULL;
}

static int class_of(char c) {
    return isdigit((unsigned char)c) ? 1 : isupper((unsigned char)c) ? 2 : isalpha((unsigned char)c) ? 3 : 0;
}

/* Words end at other characters, before digits and before the capital of the next one. */
static column_name column_name_of(const csv_cell *c) {
    column_name n = {.side = NO_SIDE};
    char word[WORD + 1];
    for (size_t i = 0; i < c->length;) {
        size_t length = 0;
        const int class = class_of(c->text[i]);
        if (!class && i++ < c->length) continue;
        do {
            if (length < WORD) word[length++] = (char)tolower((unsigned char)c->text[i]);
            i++;
        } while (i < c->length && (class_of(c->text[i]) == class_of(c->text[i - 1]) ||
                                   (class_of(c->text[i]) == 3 && class_of(c->text[i - 1]) == 2)));
        word[length] = 0;
        add_word(&n, word);
    }
    return n;
}

/* *side: NO_SIDE if the name states none. "switch1" is the name of a switch, not of a column. */
static neighbour_role table_role(const csv_cell *c, unsigned *side) {
    const column_name n = column_name_of(c);
    *side = n.side;
    if (n.other) return OTHER;
    if (n.role[PORT]) return PORT;
    if (n.role[NODE])
        return n.plain && !csv_is(c, "node1") && !csv_is(c, "node2") && !csv_is(c, "device1") &&
                       !csv_is(c, "device2")
                   ? OTHER
                   : NODE;
    return n.role[RATE] ? RATE : OTHER;
}

bool neighbour_columns_find(const csv_cell *name, unsigned columns, neighbour_role *roles, unsigned *sides) {
    bool seen[RATE + 1][2] = {{false}};
    for (unsigned i = 0; i < columns; i++) {
        const csv_cell c = csv_trimmed(name[i]);
        neighbour_role k = table_role(&c, &sides[i]);
        if (k == RATE) sides[i] = 0;
        if (sides[i] == NO_SIDE) sides[i] = seen[k][0] && !seen[k][1] ? 1 : 0;
        roles[i] = seen[k][sides[i]] ? OTHER : k;
        seen[k][sides[i]] = true;
    }
    return seen[NODE][0] && seen[NODE][1];
}

void neighbour_rate(csv_cell cell, uint64_t *rate) {
    char unit[40];
    if (measure_rate(cell.text, cell.length, false, rate) || !cell.length || cell.length > 12) return;
    snprintf(unit, sizeof unit, "%.*sMb/s", (int)cell.length, cell.text);
    if (!measure_rate(unit, strlen(unit), false, rate)) *rate = 0;
}

static bough_slice without_blanks(bough_slice s) {
    if (!s.length) return (bough_slice){"", 0}; /* may have no text */
    const csv_cell c = csv_trimmed((csv_cell){.text = s.text, .length = s.length});
    const size_t before = c.length ? strspn(c.text, " \t") : 0;
    return (bough_slice){c.text + before, c.length - before};
}

bough_status neighbour_table_row(neighbour_table *table, const bough_slice *cell, uint32_t line) {
    bough_cable cable = {.line = line};
    bough_slice node[2] = {{0}};
    bough_status status = BOUGH_OK;
    for (unsigned i = 0; i < table->columns; i++) {
        const bough_slice c = without_blanks(cell[i]);
        if (table->role[i] == NODE) node[table->side[i]] = c;
        if (table->role[i] == PORT) cable.end[table->side[i]].port = c;
        if (table->role[i] == RATE && c.length)
            neighbour_rate((csv_cell){.text = c.text, .length = c.length}, &cable.rate);
    }
    if (!node[0].length || !node[1].length) return table->uncabled++, BOUGH_OK;
    for (int k = 0; k < 2 && !status; k++)
        status = bough_cables_node(table->cables, node[k], line, &cable.end[k].node);
    return status ? status : bough_cables_add(table->cables, &cable);
}

void neighbours_note_uncabled(bough_cables *cables, uint64_t rows) {
    if (rows)
        bough_log_finding(&cables->parsed->log, &(bough_finding_head){BOUGH_INFO, "uncabled-port"},
                          "lines of ports without a neighbour, which are left out: %" PRIu64, rows);
}
