/* The report of a check in each medium but HTML (report/pages/fabric_page.c). */
#include "document/document.h"
#include "document/markdown_text.h"
#include "document/narrow_table.h"
#include "fabric/check/check_document.h"
#include "fabric/check/check_json_parts.h"
#include "report/report.h"

bough_status bough_report_check_text(const bough_check_report *report,
                                     const bough_check_text_options *options, char **text,
                                     bough_error *error) {
    enum { WIDTH = 80 };
    const bough_check_text_options plain = {0}, *how = options ? options : &plain;
    const document_text_options to = {how->width ? how->width : WIDTH, how->colours, how->brief,
                                      how->findings};
    document d = {0};
    bough_text out = {0};
    bough_status status = check_document_make(report, NULL, &d, error);
    *text = NULL;
    if (!status) document_write_text(&d, &to, &out);
    if (!status && how->brief)
        put_wrapped_at(&out, "--details prints loads and all findings; --html FILE draws.", to.width, 0);
    document_fini(&d);
    if (!status) return bough_text_finish(&out, text, error);
    bough_text_fini(&out);
    return status;
}

bough_status bough_report_check_markdown(const bough_check_report *report, uint64_t findings, char **text,
                                         bough_error *error) {
    document d = {0};
    bough_text out = {0};
    bough_status status = check_document_make(report, NULL, &d, error);
    *text = NULL;
    if (!status) {
        bough_text_put(&out, "## Check of ");
        markdown_put(&out, report->net->fabric ? report->net->fabric->source : report->net->spec);
        bough_text_put(&out, "\n");
        document_write_markdown(&d, findings, &out);
    }
    document_fini(&d);
    if (!status) return bough_text_finish(&out, text, error);
    bough_text_fini(&out);
    return status;
}

bough_status bough_report_check_json(const bough_check_report *report, char **text, bough_error *error) {
    bough_text out = {0};
    check_put_report(&(json_writer){.out = &out}, report);
    return bough_text_finish(&out, text, error);
}
