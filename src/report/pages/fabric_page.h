/* What the page of a check holds (bough_report_check_html). */
#ifndef BOUGH_REPORT_PAGES_FABRIC_PAGE_H
#define BOUGH_REPORT_PAGES_FABRIC_PAGE_H

/* What is beyond these is left out, and the page lists it. The network view has the limits of
 * drawing_zoomable; larger networks are shown by pods (report/pods/page_pods.h). A page of more than
 * FABRIC_PAGE_BYTES is written again with less. */
#define FABRIC_PAGE_BYTES  5000000 /* of any page */
#define FABRIC_PAGE_SHIFTS 8192
#define FABRIC_PAGE_BOXES  6000
#define FABRIC_PAGE_LAYOUT 1024   /* endpoints */
#define FABRIC_PAGE_HOPS   400000 /* runs of equal next hops, of one routing */

struct check_figures;
extern const struct check_figures check_page_figures;

#endif
