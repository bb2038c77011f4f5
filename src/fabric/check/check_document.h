/* What a check says, as a document: the first screen, what was asked for, and the details. */
#ifndef BOUGH_FABRIC_CHECK_CHECK_DOCUMENT_H
#define BOUGH_FABRIC_CHECK_CHECK_DOCUMENT_H

#include "document/document.h"
#include "fabric/check/check.h"

struct check_view;

/* Drawings and curves of a page (report/pages/check_figures.c), which add figures to the document. */
typedef struct check_figures {
    bough_status (*network)(const struct check_view *view, bough_error *error);
    bough_status (*shifts)(const struct check_view *view, bough_error *error);
    void (*degradation)(document *d, const bough_degradation *curve);
} check_figures;

/* The report beside the document that describes it. */
typedef struct check_view {
    document *doc;
    const bough_check_report *report;
    const char *const *name;      /* [parts] of the routings: check_names_make */
    const check_figures *figures; /* NULL: none */
} check_view;

/* Names of the routings of a report: specs; of tables the shortest ending of the path of their file, in whole
 * parts of the path, that no other has. One heap block; NULL after a failed allocation. */
char **check_names_make(const bough_check_report *report);

/* figures: NULL: none. The document is zero-initialised, and freed by the caller. */
bough_status check_document_make(const bough_check_report *report, const check_figures *figures, document *d,
                                 bough_error *error);

/* Its parts: each says nothing where it was not asked for. */
void check_planes_describe(const check_view *w, const bough_planes *planes);
void check_routings_describe(const check_view *w);
/* A card for each routing: how good it is. */
void check_ratings_describe(const check_view *w);
void check_expect_describe(const check_view *w);
void check_expect_card(const check_view *w);
void check_slurm_describe(const check_view *w);
void check_failures_describe(const check_view *w);
void check_adaptive_failures_describe(const check_view *w);
void check_jobs_describe(const check_view *w);
void check_job_cards(const check_view *w);
void check_placements_describe(const check_view *w);
void check_old_fabric_describe(const check_view *w);
void check_old_fabric_card(const check_view *w);
void check_counters_describe(const check_view *w);
/* Details: what is known of each routing; one of them: what is assumed of adaptive routing. */
void check_details_describe(const check_view *w);
void check_adaptive_describe(const check_view *w, const bough_check_adaptive *adaptive);

#endif
