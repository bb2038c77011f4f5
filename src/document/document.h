/* A document: what a report says, once, for every medium. A report describes itself as sections, facts,
 * lines, tables, findings, commands and figures; writers print them as text for a terminal, as HTML and as
 * Markdown.
 *
 *     document d = {0};
 *     document_section(&d, "summary", "Summary");
 *     document_fact(&d, "endpoints", "%u", 95);
 *     document_table(&d, &table, "Routings");
 *     document_write_text(&d, &(document_text_options){.width = 80}, &out);
 *     document_fini(&d);
 *
 * Texts are copied; they may hold names of others, which writers escape for their medium. A failed allocation
 * leaves `failed` set, and every writer then fails its output. Cost: linear in the text. */
#ifndef BOUGH_DOCUMENT_DOCUMENT_H
#define BOUGH_DOCUMENT_DOCUMENT_H

#include "base/text/text.h"
#include "document/text_table.h"

typedef enum document_kind {
    DOCUMENT_SECTION, /* a chapter; in text only an order */
    DOCUMENT_HEADING, /* a label and a text */
    DOCUMENT_FACT,    /* a label and a text; label "": more of the fact above */
    DOCUMENT_SHORT,   /* a fact that shares a line with its neighbours; both "": the line ends here */
    DOCUMENT_CARD,    /* what a reader is to see first: of what, the answer in a few words, and about it */
    DOCUMENT_LINE,    /* a paragraph */
    DOCUMENT_ITEM,    /* of a list */
    DOCUMENT_NOTE,    /* what the words above mean */
    DOCUMENT_TABLE,
    DOCUMENT_FINDING,
    DOCUMENT_COMMAND, /* to be typed next */
    DOCUMENT_BAR,     /* a share, 0..1, of a group of bars; HTML only: a table has the same figure */
    DOCUMENT_FIGURE   /* a drawing or chart; HTML only */
} document_kind;

typedef struct document_item {
    document_kind kind;
    bool details;     /* not for the first screen */
    bool folded;      /* sections: HTML folds it, as it does what is not for the first screen */
    bool said;        /* findings: a fact says it, so the first screen does not repeat it. cards: a table says
                         it, so only HTML repeats it */
    text_style style; /* of the label, or the severity of a finding */
    char *label;      /* sections: an identifier; findings: the kind; bars: the group; commands: what for */
    char *text;       /* sections: the title; tables and figures: the caption; bars: the name */
    char *about;      /* findings: of what; bars: the value in words; cards: what follows the answer */
    char *where;      /* findings */
    text_table table; /* owned */
    size_t first;     /* tables: rows to show at first; 0: all */
    char *more;       /* figures: markup. tables: what is said below rows that are not shown */
    double share;     /* of a bar; NAN: none */
} document_item;

/* Zero-initialise. */
typedef struct document {
    document_item *item;
    size_t items, capacity;
    bool details; /* set by the describer: items that are added now are not for the first screen */
    bool failed;
    bough_text line; /* that is being written */
} document;

void document_fini(document *d);

void document_section(document *d, const char *id, const char *title);
/* Folds the section that was added last, where a card has what it says in a few words. */
void document_fold(document *d);
void document_heading(document *d, const char *label, const char *format, ...) BOUGH_PRINTF(3, 4);
void document_fact(document *d, const char *label, const char *format, ...) BOUGH_PRINTF(3, 4);
void document_short(document *d, const char *label, const char *format, ...) BOUGH_PRINTF(3, 4);
/* about: "": nothing. said: see above. */
void document_card(document *d, const char *label, const char *answer, const char *about, bool said);
void document_line(document *d, const char *format, ...) BOUGH_PRINTF(2, 3);
void document_item_of_list(document *d, const char *format, ...) BOUGH_PRINTF(2, 3);
/* Frees a text, of which each line becomes such an item. */
void document_list(document *d, bough_text *lines);
void document_note(document *d, const char *format, ...) BOUGH_PRINTF(2, 3);
/* A fact, line or note in steps. */
void document_begin(document *d, document_kind kind, const char *label);
void document_put(document *d, const char *format, ...) BOUGH_PRINTF(2, 3);
void document_end(document *d);
/* Of the item that was added last. */
void document_style(document *d, text_style style);

/* Takes the table. first: rows to show at first; 0: all. more: words for the rows beyond: "%zu more cables".
 * The first table->labels columns label a row. */
void document_table(document *d, text_table *table, const char *caption);
void document_long_table(document *d, text_table *table, const char *caption, size_t first, bough_text *more);

typedef struct document_finding {
    text_style severity; /* TEXT_ERROR, TEXT_WARNING, TEXT_PLAIN: a remark */
    const char *about, *where, *text, *kind;
    bool said;
} document_finding;
void document_find(document *d, const document_finding *finding);

void document_command(document *d, const char *command, const char *purpose);
/* value: in words, "37.3 %". */
void document_bar(document *d, const char *group, const char *name, double share, const char *value);
/* Takes the markup, which is that of document/html.h. caption: its heading; "": none. */
void document_figure(document *d, const char *caption, bough_text *markup);

/* ---- writers ---- */

typedef struct document_text_options {
    size_t width;    /* of a line, in characters */
    bool colours;    /* escape sequences */
    bool brief;      /* the first screen */
    size_t findings; /* of each kind and severity, at most; rows of long tables; 0: all */
} document_text_options;
void document_write_text(const document *d, const document_text_options *options, bough_text *out);

/* The items of the first screen as GitHub Flavored Markdown. findings: of each severity, at most; 0: all. */
void document_write_markdown(const document *d, size_t findings, bough_text *out);

/* Of the findings that stand together with the at-th, those of its kind, severity and subject: before it, at
 * most `most`; from it on. Where many are alike, these are near, so that a list of any length is printed in
 * linear time. */
size_t document_alike_before(const document *d, size_t at, size_t most);
size_t document_alike_from(const document *d, size_t at);
/* Findings of a severity. */
size_t document_findings(const document *d, text_style severity);
/* "error", "warning", "remark" */
const char *document_severity(text_style severity);

#endif
