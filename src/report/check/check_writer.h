/* The text of a check, line by line: folded to a width, coloured, with a name for each routing. */
#ifndef BOUGH_REPORT_CHECK_CHECK_WRITER_H
#define BOUGH_REPORT_CHECK_CHECK_WRITER_H

#include "report/report.h"
#include "report/tables/text_table.h"

enum { CHECK_LABEL = 12 }; /* characters of the column of labels */

typedef struct check_writer {
    bough_text out;
    const bough_check_report *report;
    bough_check_text_options options; /* width is set */
    const char *const *name;          /* [parts] of the routings: check_names_make */
    bough_text line;                  /* that is being written; one part of it may have a style: */
    size_t indent, mark, mark_length;
    text_style style;
} check_writer;

/* A line consists of a label, an optional word in a style, and text. Words that do not fit continue below, at
 * the indent: CHECK_LABEL for lines with a label. Names, paths and specs may be written as they are. */
void check_begin(check_writer *w, const char *label);
void check_begin_at(check_writer *w, size_t indent);
void check_put(check_writer *w, const char *format, ...) BOUGH_PRINTF(2, 3);
void check_put_styled(check_writer *w, text_style style, const char *word);
void check_end(check_writer *w);
/* These in one: a line with a label. */
void check_line(check_writer *w, const char *label, const char *format, ...) BOUGH_PRINTF(3, 4);
/* A line without a label, which begins at the indent. */
void check_line_at(check_writer *w, size_t indent, const char *format, ...) BOUGH_PRINTF(3, 4);
void check_empty_line(check_writer *w);
/* An empty line and a line whose label is bold. */
void check_heading(check_writer *w, const char *label, const char *format, ...) BOUGH_PRINTF(3, 4);
/* Writes a table at the indent and frees it. If it is too wide, its label stands above each row
 * (table->labels = 1); check_split_table continues it in further tables instead. */
void check_table(check_writer *w, text_table *table, size_t indent);
void check_split_table(check_writer *w, text_table *table, size_t indent);

extern const text_style check_rating_style[]; /* by bough_rating_word */
/* What the table of routings has no column for: that a routing chooses, why it is not rated, a slow cable. */
void check_rating_note(check_writer *w, size_t i);

/* Names of the routings of a report: specs; of tables the shortest ending of the path of their file, in whole
 * parts of the path, that no other has. One heap block; NULL after a failed allocation. */
char **check_names_make(const bough_check_report *report);

#endif
