/* The page of an answer or a study: what result_document.h says, and the points of its charts for the script,
 * which replaces the drawings (web/src/data.ts). */
#ifndef BOUGH_REPORT_PAGES_STUDY_PAGE_H
#define BOUGH_REPORT_PAGES_STUDY_PAGE_H

#include "document/html.h"
#include "report/tables/result_document.h"

typedef struct study_page {
    const char *title;
    const char *command;     /* that makes the page again; NULL: unknown */
    const html_files *files; /* whose directories stand nowhere; NULL: none */
    result_options results;  /* figures and charts are set here */
} study_page;

bough_status study_page_write(const bough_study *study, const study_page *page, char **text,
                              bough_error *error);

#endif
