/* Loads are printed with six digits, as drawings need no more; figures in full. */
#include "report/pages/fabric_page.h"

#include "base/status/try.h"
#include "report/check/check_rates.h"
#include "report/check/check_render.h"
#include "report/check/check_writer.h"
#include "report/drawings/drawing.h"
#include "report/finding_groups.h"
#include "report/pages/fabric_html.h"
#include "report/pages/fabric_page_network.h"
#include "report/pages/page.h"
#include "report/pods/page_pods.h"
#include "report/report.h"
#include "report/tables/network_object.h"

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
    PAGE_LEAST,    /* no switches of pods, no loads of single shifts, and FINDINGS of each list */
    PAGE_DETAILS
} page_detail;
enum { FINDINGS = 200 };
#define PAGE_SIZE "5 MB"

typedef struct page_writer {
    const bough_check_report *report;
    page_detail detail;
    const bough_check_page *page;
    json_writer w;
    bough_text json, shortened;
    char left_out[16][200];
    size_t left;
} page_writer;

/* Without directories; valid until the next call. */
static const char *shorten(page_writer *p, const char *text) {
    bough_text *out = &p->shortened;
    out->length = 0;
    bough_text_put(out, "");
    if (text) page_put_short(out, p->page, text);
    if (out->failed) p->json.failed = true;
    return text && out->data ? out->data : NULL;
}

static void put_short(page_writer *p, const char *key, const char *text) {
    json_put_text(&p->w, key, shorten(p, text));
}

/* What the page has no room for; further ones than there are places for are not named. */
static void leave_out(page_writer *p, const char *format, ...) BOUGH_PRINTF(2, 3);
static void leave_out(page_writer *p, const char *format, ...) {
    va_list list;
    if (p->left == sizeof p->left_out / sizeof *p->left_out) return;
    va_start(list, format);
    vsnprintf(p->left_out[p->left++], sizeof *p->left_out, format, list);
    va_end(list);
}

/* ---- parts ---- */

static void put_link(page_writer *p, const char *key, uint64_t link, bool known) {
    char name[400];
    json_put_text(&p->w, key, known ? bough_link_name(p->report->net, link, name, sizeof name) : NULL);
}

static void put_load(json_writer *w, double load) {
    char text[40];
    snprintf(text, sizeof text, "%.6g", load);
    json_put_real(w, NULL, strtod(text, NULL));
}

static void put_finding(page_writer *p, const bough_finding *f) {
    json_begin_object(&p->w, NULL, true);
    json_put_text(&p->w, "severity", check_severity(f->severity));
    put_short(p, "kind", f->kind);
    put_short(p, "where", f->where);
    put_short(p, "text", f->text);
    json_end_object(&p->w);
}

/* Of this severity, or of any (-1); returns how many of `room` are left. */
static size_t put_list(page_writer *p, const bough_findings *list, int severity, size_t room) {
    for (size_t i = 0; list && i < list->count && room; i++) {
        if (severity >= 0 && (int)list->item[i].severity != severity) continue;
        put_finding(p, &list->item[i]);
        room--;
    }
    return room;
}

/* The worst come first where there is no room for all. */
static void put_findings(page_writer *p, finding_subject subject, size_t part) {
    const finding_group group = finding_group_of(p->report, subject, part);
    const bough_findings *one = group.list[0], *other = group.list[1];
    const size_t all = finding_group_size(&group);
    const size_t most = p->detail == PAGE_LEAST ? FINDINGS : SIZE_MAX;
    size_t room = most;
    json_begin_array(&p->w, "findings", true);
    for (int severity = BOUGH_ERROR; severity >= BOUGH_INFO && all > most; severity--) {
        room = put_list(p, one, severity, room);
        room = put_list(p, other, severity, room);
    }
    if (all <= most) {
        put_list(p, one, -1, most);
        put_list(p, other, -1, most);
    }
    json_end_array(&p->w);
    if (all > most)
        leave_out(p, "%zu more findings about %s, of %zu; --json prints all of them.", all - most, group.name,
                  all);
}

/* Those of neither the wiring nor a routing. */
static void put_other_findings(page_writer *p) {
    finding_group group;
    json_begin_array(&p->w, "other_findings", true);
    for (size_t i = 0; finding_group_at(p->report, i, &group); i++) {
        if (group.subject == FINDINGS_OF_WIRING || group.subject == FINDINGS_OF_ROUTING) continue;
        json_begin_object(&p->w, NULL, true);
        json_put_text(&p->w, "about", group.name);
        put_findings(p, group.subject, 0);
        json_end_object(&p->w);
    }
    json_end_array(&p->w);
}

static bool shows_net(const page_writer *p) {
    return page_net_fits(p->report->net) && p->detail < PAGE_PODS;
}

static void put_statement(page_writer *p, const bough_verdict *v) {
    bough_text sentence = {0};
    json_writer *w = &p->w;
    check_sentence(&sentence, v);
    if (sentence.failed) p->json.failed = true;
    json_begin_object(w, NULL, true);
    json_put_text(w, "kind", bough_verdict_name(v->kind));
    json_put_text(w, "severity", check_severity(v->severity));
    json_put_text(w, "text", sentence.failed ? "" : sentence.data);
    json_end_object(w);
    bough_text_fini(&sentence);
}

static void put_verdict(page_writer *p, const bough_routing_report *part) {
    json_begin_array(&p->w, "verdict", true);
    for (size_t i = 0; i < part->verdicts; i++) put_statement(p, &part->verdict[i]);
    json_end_array(&p->w);
}

static void put_worst(page_writer *p, const bough_routing_report *part) {
    const bough_net *net = p->report->net;
    const bough_adversary_result *worst = &part->worst;
    if (!part->worst_known) {
        json_put_text(&p->w, "worst", NULL);
        return;
    }
    json_begin_object(&p->w, "worst", true);
    json_put_real(&p->w, "load", worst->load);
    put_link(p, "link", worst->link, worst->link != BOUGH_NONE);
    json_begin_array(&p->w, "to", true);
    for (uint64_t e = 0; e < net->endpoints && worst->destination && shows_net(p); e++)
        json_put_whole(&p->w, NULL, worst->destination[e]);
    json_end_array(&p->w);
    json_end_object(&p->w);
}

static void put_random(json_writer *w, const bough_stats *random) {
    if (!random->count) {
        json_put_text(w, "random", NULL);
        return;
    }
    json_begin_object(w, "random", true);
    json_put_real(w, "mean", random->mean);
    json_put_real(w, "ci95", random->count > 1 ? bough_stats_ci95(random) : NAN);
    json_put_whole(w, "trials", (int64_t)random->count);
    json_end_object(w);
}

static void put_hop_counts(json_writer *w, const bough_check_result *r) {
    json_begin_array(w, "hops", true);
    for (int h = 0; h < BOUGH_HOPS_MAX; h++)
        if (r->hops[h]) {
            json_begin_array(w, NULL, true);
            json_put_whole(w, NULL, h);
            json_put_whole(w, NULL, (int64_t)r->hops[h]);
            json_end_array(w);
        }
    json_end_array(w);
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

static bough_status put_part(page_writer *p, const bough_routing_report *part, bough_error *error) {
    const bough_check_result *r = &part->result;
    json_writer *w = &p->w;
    json_begin_object(w, NULL, true);
    put_short(p, "spec", part->routing->spec);
    json_put_flag(w, "expected", r->expected);
    json_put_whole(w, "pairs", (int64_t)r->pairs);
    json_put_whole(w, "routed", (int64_t)r->routed);
    put_hop_counts(w, r);
    json_put_real(w, "alltoall_max", r->alltoall_max);
    put_link(p, "alltoall_limit", r->alltoall_limit, r->alltoall_max > 0);
    json_put_real(w, "alltoall_share", r->alltoall_share);
    json_put_real(w, "shift_max", r->shift_max);
    json_put_real(w, "shift_mean", r->shift_mean);
    json_put_whole(w, "shift_worst_k", (int64_t)r->shift_worst_k);
    put_random(w, &r->random);
    put_worst(p, part);
    json_put_real(w, "worst_least", check_worst_bounded(p->report, part) ? part->worst_least : NAN);
    json_put_whole(w, "unused_links", (int64_t)r->unused_links);
    put_verdict(p, part);
    put_findings(p, FINDINGS_OF_ROUTING, (size_t)(part - p->report->part));
    put_curves(p, r);
    const char *why = "a page holds " PAGE_SIZE;
    bough_status status = BOUGH_OK;
    if (p->detail == PAGE_ALL || !page_net_fits(p->report->net))
        status = page_put_hops(w, part->routing, &why, error);
    else
        json_put_text(w, "hops_to", NULL);
    json_end_object(w);
    if (why) leave_out(p, "Paths under %s: %s.", shorten(p, part->routing->spec), why);
    return status;
}

static void put_rates(page_writer *p) {
    bough_text rates = {0};
    check_rates_words(&rates, p->report->net, &p->report->rates);
    if (rates.failed) p->json.failed = true;
    json_put_text(&p->w, "rates", rates.failed ? "" : rates.data);
    bough_text_fini(&rates);
}

static void put_headline(void *page, const char *label, const char *sentence) {
    page_writer *p = page;
    json_begin_object(&p->w, NULL, true);
    json_put_text(&p->w, "label", label);
    put_short(p, "text", sentence);
    json_end_object(&p->w);
}

static void put_headlines(page_writer *p) {
    char **name = check_names_make(p->report);
    json_begin_array(&p->w, "headlines", false);
    if (!name || !check_headlines(p->report, (const char *const *)name, put_headline, p))
        p->json.failed = true;
    json_end_array(&p->w);
    free(name);
}

static void put_network(page_writer *p) {
    const bough_check_report *report = p->report;
    const bough_net *net = report->net;
    json_writer *w = &p->w;
    network_object_begin(w, net, shorten(p, network_object_spec(net)));
    json_begin_array(w, "switches_by_level", true);
    for (unsigned level = 1; level <= net->levels; level++)
        json_put_whole(w, NULL, (int64_t)report->level_switches[level]);
    json_end_array(w);
    json_end_object(w);
}

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
    bough_status status = BOUGH_OK;
    char text[CHECK_NOT_LOOKED_AT_MAX];
    put_network(p);
    put_rates(p);
    put_headlines(p);
    json_put_text(w, "format", net->fabric ? net->fabric->format : NULL);
    json_put_text(w, "not_looked_at", check_not_looked_at(report, text));
    put_findings(p, FINDINGS_OF_WIRING, 0);
    put_other_findings(p);
    json_begin_array(w, "routings", true);
    for (size_t i = 0; i < report->parts && !status; i++) status = put_part(p, &report->part[i], error);
    json_end_array(w);
    if (shows_net(p)) {
        TRY(page_put_net(w, net, error));
        json_put_text(w, "picture", NULL);
        json_put_text(w, "pods", NULL);
    } else {
        json_put_text(w, "net", NULL);
        TRY(page_put_picture(w, net, error));
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

static void put_title(page_writer *p, bough_text *title) {
    const bough_net *net = p->report->net;
    bough_text whole = {0};
    bough_text_printf(&whole, "Check of %s", net->fabric ? net->fabric->source : net->spec);
    const char *shortened = shorten(p, whole.data);
    bough_text_put(title, shortened ? shortened : "");
    if (whole.failed) title->failed = true;
    bough_text_fini(&whole);
}

static bough_status put_page(page_writer *p, const char *title, bough_error *error) {
    char seed[32];
    snprintf(seed, sizeof seed, "%" PRIu64, p->report->seed);
    json_begin_document(&p->w);
    json_put_text(&p->w, "title", title);
    put_short(p, "command", p->page->command);
    json_put_text(&p->w, "seed", seed);
    json_begin_object(&p->w, "fabric", true);
    bough_status status = put_fabric(p, error);
    json_end_object(&p->w);
    json_begin_array(&p->w, "strings", true);
    json_put_text(&p->w, NULL, "ok");
    json_end_array(&p->w);
    json_end_document(&p->w);
    return status;
}

static void put_facts(html_writer *h, const page_writer *p) {
    if (p->page->command) html_fact(h, "command", p->page->command);
    fabric_html_facts(h, p->report);
}

/* The markup of a page without scripts. */
static bough_status write_static(page_writer *p, page_parts *parts, char **text, bough_error *error) {
    html_writer facts = {.page = p->page}, rest = {.page = p->page};
    put_facts(&facts, p);
    bough_status status = fabric_html_rest(&rest, p->report, error);
    if (!status && (facts.out.failed || rest.out.failed)) status = bough_fail_memory(error, rest.out.length);
    parts->facts = facts.out.data;
    parts->rest = rest.out.data;
    TRY(page_write(parts, text, error));
    bough_text_fini(&facts.out);
    bough_text_fini(&rest.out);
    return status;
}

/* Of the text. Lines are folded at blanks and commas; a path that was folded could not be shortened. */
static size_t plain_width(const bough_check_page *page) {
    enum { WIDTH = 100 };
    for (size_t i = 0; i < page->paths; i++)
        if (strpbrk(page->path[i], " ,")) return SIZE_MAX / 2;
    return WIDTH;
}

/* With the detail of the writer. */
static bough_status write_once(page_writer *p, page_parts *parts, char **text, bough_error *error) {
    p->json.length = p->left = 0;
    p->w = (json_writer){.out = &p->json, .compact = true};
    bough_status status = put_page(p, parts->title, error);
    if (!status && p->json.failed) status = bough_fail_memory(error, p->json.length);
    parts->json = p->json.data;
    TRY(page_write(parts, text, error));
    return status;
}

static bough_status write_scripted(page_writer *p, page_parts *parts, char **text, bough_error *error) {
    bough_text plain = {0};
    char *all = NULL;
    const bough_check_text_options options = {.width = plain_width(p->page)};
    bough_status status = bough_report_check_text(p->report, &options, &all, error);
    const char *shortened = status ? NULL : shorten(p, all);
    if (shortened) bough_text_put(&plain, shortened);
    if (!status && (p->json.failed || plain.failed)) status = bough_fail_memory(error, plain.length);
    parts->plain = plain.data;
    for (p->detail = PAGE_ALL; !status && p->detail < PAGE_DETAILS; p->detail++) {
        free(*text);
        *text = NULL;
        status = write_once(p, parts, text, error);
        if (*text && strlen(*text) <= FABRIC_PAGE_BYTES) break;
    }
    free(all);
    bough_text_fini(&plain);
    bough_text_fini(&p->json);
    return status;
}

/* What cannot be shortened are mostly routings: each has its names, figures and findings. */
static bough_status check_size(const page_writer *p, char **text, bough_error *error) {
    const size_t length = strlen(*text);
    if (length <= FABRIC_PAGE_BYTES) return BOUGH_OK;
    free(*text);
    *text = NULL;
    return bough_fail(error, BOUGH_TOO_LARGE, NULL,
                      "the page of this check would have %zu bytes, and a page holds " PAGE_SIZE
                      "; ask for fewer than its %zu routings, or for --json",
                      length, p->report->parts);
}

bough_status bough_report_check_html(const bough_check_report *report, const bough_check_page *page,
                                     char **text, bough_error *error) {
    page_writer p = {.report = report, .page = page};
    html_writer summary = {.page = page};
    bough_text title = {0};
    put_title(&p, &title);
    fabric_html_summary(&summary, report);
    page_parts parts = {.title = title.data, .summary = summary.out.data};
    bough_status status = BOUGH_OK;
    *text = NULL;
    if (title.failed || summary.out.failed || p.json.failed)
        status = bough_fail_memory(error, summary.out.length);
    if (!status)
        status = page_is_static() ? write_static(&p, &parts, text, error)
                                  : write_scripted(&p, &parts, text, error);
    if (!status) status = check_size(&p, text, error);
    bough_text_fini(&title);
    bough_text_fini(&summary.out);
    bough_text_fini(&p.shortened);
    return status;
}
