/* "pods": a large network on the page of a check, switches grouped by pods; docs of the format:
 * web/src/data.ts. */
#ifndef BOUGH_REPORT_PODS_PAGE_PODS_H
#define BOUGH_REPORT_PODS_PAGE_PODS_H

#include "base/json/json_writer.h"
#include "fabric/check/check.h"
#include "fabric/pods/pods.h"

enum {
    PAGE_PODS_LINKS = 50,       /* most loaded ones, of a routing */
    PAGE_PODS_SWITCHES = 12288, /* that a page lists, in the pods with the most loaded links */
};

typedef struct page_pods {
    const bough_check_report *report;
    const pods *pods;
    bool switches; /* list those of pods */
    uint32_t open; /* pods of which they are listed: result */
} page_pods;

bough_status page_put_pods(json_writer *w, page_pods *page, bough_error *error);

#endif
