/* The markup is the whole report; the data are what its script draws: the network, loads, next hops, curves.
 * Loads have six digits, as drawings need no more. */
#include "report/pages/fabric_page.h"

#include "base/status/try.h"
#include "document/document_html.h"
#include "fabric/check/check_document.h"
#include "network/network_object.h"
#include "report/drawings/drawing.h"
#include "report/pages/fabric_page_network.h"
#include "report/pages/page.h"
#include "report/pods/page_pods.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a page has; each leaves out something more. A page has the first with which it fits. */
typedef enum page_detail {
    PAGE_ALL,
    PAGE_NO_PATHS, /* no next hops */
    PAGE_PODS,     /* no single links: the network by pods */
    PAGE_LEAST,    /* no switches of pods, no loads of single shifts */
    PAGE_DETAILS
} page_detail;
#define PAGE_SIZE "5 MB"

typedef struct page_writer {
    const bough_check_report *report;
    const html_files *files; /* whose directories stand nowhere */
    const char *const *name; /* of routings */
    page_detail detail;
    json_writer w;
    bough_text json, shortened;
    char left_out[16][200];
    size_t left;
} page_writer;

/* What the page has no room for; further ones than there are places for are not named. */
static void leave_out(page_writer *p, const char *format, ...) BOUGH_PRINTF(2, 3);
static void leave_out(page_writer *p, const char *format, ...) {
    va_list list;
    if (p->left == sizeof p->left_out / sizeof *p->left_out) return;
    va_start(list, format);
    vsnprintf(p->left_out[p->left++], sizeof *p->left_out, format, list);
    va_end(list);
}

/* The name of a routing without directories; valid until the next call. */
static const char *name_of(page_writer *p, size_t i) {
    p->shortened.length = 0;
    html_put_short(&p->shortened, p->files, p->name[i]);
    p->json.failed |= p->shortened.failed;
    return p->shortened.data ? p->shortened.data : "";
}

static bool shows_net(const page_writer *p) {
    return page_net_fits(p->report->net) && p->detail < PAGE_PODS;
}

/* ---- one routing ---- */

static void put_load(json_writer *w, double load) {
    char text[40];
    snprintf(text, sizeof text, "%.6g", load);
    json_put_real(w, NULL, strtod(text, NULL));
}

/* The destinations of the worst permutation. */
static void put_worst(page_writer *p, const bough_routing_report *part) {
    const bough_adversary_result *worst = &part->worst;
    json_begin_array(&p->w, "worst", true);
    for (uint64_t e = 0; e < p->report->net->endpoints && part->worst_known && worst->destination; e++)
        if (shows_net(p)) json_put_whole(&p->w, NULL, worst->destination[e]);
    json_end_array(&p->w);
}

static bool shows_shifts(const page_writer *p) {
    return p->report->net->endpoints <= FABRIC_PAGE_SHIFTS && p->detail < PAGE_LEAST;
}

static void put_curves(page_writer *p, const bough_check_result *r) {
    const bough_net *net = p->report->net;
    json_begin_array(&p->w, "shift", true);
    for (uint64_t k = 1; k < net->endpoints && r->shift && shows_shifts(p); k++) put_load(&p->w, r->shift[k]);
    json_end_array(&p->w);
    json_begin_array(&p->w, "load", true);
    for (uint64_t l = 0; l < net->links && r->load && shows_net(p); l++) put_load(&p->w, r->load[l]);
    json_end_array(&p->w);
}

static bough_status put_part(page_writer *p, size_t i, bough_error *error) {
    const bough_routing_report *part = &p->report->part[i];
    json_writer *w = &p->w;
    json_begin_object(w, NULL, true);
    json_put_text(w, "name", name_of(p, i));
    json_put_flag(w, "expected", part->result.expected);
    put_worst(p, part);
    put_curves(p, &part->result);
    const char *why = "a page holds " PAGE_SIZE;
    bough_status status = BOUGH_OK;
    if (p->detail == PAGE_ALL || !page_net_fits(p->report->net))
        status = page_put_hops(w, part->routing, &why, error);
    else
        json_put_text(w, "hops_to", NULL);
    json_end_object(w);
    if (why) leave_out(p, "Paths under %s: %s.", name_of(p, i), why);
    return status;
}

/* ---- the network ---- */

static bough_status put_pods(page_writer *p, bough_error *error) {
    const bough_net *net = p->report->net;
    pods all;
    bough_status status = pods_find(net, &all, error);
    if (status) return status;
    page_pods page = {.report = p->report, .pods = &all, .switches = p->detail < PAGE_LEAST};
    status = page_put_pods(&p->w, &page, error);
    leave_out(p,
              "Single cables and paths in the drawing of the network, which has %" PRIu64
              " nodes and %" PRIu64 " links: a page holds %u and %u, or %s. Switches are grouped.",
              net->nodes, net->links, drawing_zoomable.boxes, drawing_zoomable.lines, PAGE_SIZE);
    if (page.open < all.count)
        leave_out(
            p, "The switches of %" PRIu32 " of %" PRIu32 " %s: those with the most loaded links are listed.",
            all.count - page.open, all.count, all.blocks ? "groups" : "pods");
    pods_fini(&all);
    return status;
}

static bough_status put_fabric(page_writer *p, bough_error *error) {
    const bough_check_report *report = p->report;
    const bough_net *net = report->net;
    json_writer *w = &p->w;
    char weighed[120];
    bough_status status = BOUGH_OK;
    json_put_whole(w, "endpoints", (int64_t)net->endpoints);
    json_put_whole(w, "switches", (int64_t)net->switches);
    json_put_whole(w, "levels", net->levels);
    json_put_text(w, "weighed",
                  !bough_link_rates_mixed(&report->rates)
                      ? NULL
                      : bough_link_weight_text(&report->rates, weighed, sizeof weighed));
    if (shows_net(p)) page_put_weights(w, net, &report->rates);
    json_begin_array(w, "routings", true);
    for (size_t i = 0; i < report->parts && !status; i++) status = put_part(p, i, error);
    json_end_array(w);
    if (shows_net(p)) {
        TRY(page_put_net(w, net, error));
        json_put_text(w, "pods", NULL);
    } else {
        json_put_text(w, "net", NULL);
        TRY(put_pods(p, error));
    }
    page_put_layout(w, net);
    bool boxes_left = false;
    TRY(page_put_packaging(w, net, &boxes_left, error));
    if (boxes_left) leave_out(p, "The model of its stacks: a page holds %d boxes.", FABRIC_PAGE_BOXES);
    json_begin_array(w, "left_out", true);
    for (size_t i = 0; i < p->left; i++) json_put_text(w, NULL, p->left_out[i]);
    json_end_array(w);
    return status;
}

static bough_status put_data(page_writer *p, bough_error *error) {
    p->json.length = p->left = 0;
    p->w = (json_writer){.out = &p->json, .compact = true};
    json_begin_document(&p->w);
    json_begin_object(&p->w, "fabric", true);
    bough_status status = put_fabric(p, error);
    json_end_object(&p->w);
    json_begin_array(&p->w, "strings", true);
    json_put_text(&p->w, NULL, "ok");
    json_end_array(&p->w);
    json_end_document(&p->w);
    if (!status && p->json.failed) status = bough_fail_memory(error, p->json.length);
    return status;
}

/* ---- the page ---- */

static void put_title(const bough_check_report *report, const html_files *files, bough_text *title) {
    const bough_net *net = report->net;
    bough_text_put(title, "Check of ");
    html_put_short(title, files, net->fabric ? net->fabric->source : net->spec);
}

static bough_status write_scripted(page_writer *p, page_parts *parts, char **text, bough_error *error) {
    char **name = check_names_make(p->report);
    bough_status status = name ? BOUGH_OK : bough_fail_memory(error, p->report->parts);
    p->name = (const char *const *)name;
    for (p->detail = PAGE_ALL; !status && p->detail < PAGE_DETAILS; p->detail++) {
        free(*text);
        *text = NULL;
        status = put_data(p, error);
        parts->json = p->json.data;
        TRY(page_write(parts, text, error));
        if (*text && strlen(*text) <= FABRIC_PAGE_BYTES) break;
    }
    free(name);
    bough_text_fini(&p->json);
    bough_text_fini(&p->shortened);
    return status;
}

/* What cannot be shortened are mostly routings: each has its names, figures and findings. */
static bough_status check_size(const bough_check_report *report, char **text, bough_error *error) {
    const size_t length = strlen(*text);
    if (length <= FABRIC_PAGE_BYTES) return BOUGH_OK;
    free(*text);
    *text = NULL;
    return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                      "the page of this check would have %zu bytes, and a page holds " PAGE_SIZE
                      "; ask for fewer than its %zu routings, or for --json",
                      length, report->parts);
}

bough_status bough_report_check_html(const bough_check_report *report, const bough_check_page *page,
                                     char **text, bough_error *error) {
    const html_files files = {page->path, page->paths};
    html_writer body = {.files = &files}, facts = {.files = &files};
    bough_text title = {0}, command = {0};
    document d = {0};
    char seed[32];
    bough_status status = check_document_make(report, &check_page_figures, &d, error);
    *text = NULL;
    put_title(report, &files, &title);
    if (page->command) html_put_short(&command, &files, page->command);
    snprintf(seed, sizeof seed, "%" PRIu64, report->seed);
    html_fact(&facts, "seed", seed);
    if (!status) document_write_html(&d, &body);
    document_fini(&d);
    if (!status && (title.failed || command.failed || facts.out.failed || body.out.failed))
        status = bough_fail_memory(error, body.out.length);
    page_parts parts = {
        .title = title.data, .command = command.data, .facts = facts.out.data, .body = body.out.data};
    if (!status && page_is_static()) status = page_write(&parts, text, error);
    if (!status && !page_is_static())
        status = write_scripted(&(page_writer){.report = report, .files = &files}, &parts, text, error);
    TRY(check_size(report, text, error));
    bough_text_fini(&title);
    bough_text_fini(&command);
    bough_text_fini(&facts.out);
    bough_text_fini(&body.out);
    return status;
}
