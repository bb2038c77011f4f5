/* What the page of a check holds (bough_report_check_html). */
#ifndef BOUGH_REPORT_PAGES_FABRIC_PAGE_H
#define BOUGH_REPORT_PAGES_FABRIC_PAGE_H

/* Beyond these the page says what it leaves out: the network view, and the paths in it. */
#define FABRIC_PAGE_NODES  8192
#define FABRIC_PAGE_LINKS  65536
#define FABRIC_PAGE_BOXES  6000
#define FABRIC_PAGE_LAYOUT 1024   /* endpoints */
#define FABRIC_PAGE_HOPS   400000 /* runs of equal next hops, of one routing */

#endif
