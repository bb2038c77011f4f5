#include "fabric/check/check_document.h"
#include "fabric/check/check_json_parts.h"

#include <inttypes.h>

void check_slurm_describe(const check_view *w) {
    const bough_check_slurm *s = &w->report->slurm;
    if (!s->file) return;
    document_section(w->doc, "slurm", "Slurm's file");
    document_begin(w->doc, DOCUMENT_FACT, "slurm");
    document_put(w->doc, "%s: %" PRIu64 " of %" PRIu64 " hosts are below their leaf", s->file, s->right,
                 s->hosts);
    if (s->moved) document_put(w->doc, ", %" PRIu64 " below another one", s->moved);
    if (s->missing) document_put(w->doc, ", %" PRIu64 " not in the file", s->missing);
    if (s->unknown)
        document_put(w->doc, "; unknown to the fabric: %" PRIu64 " of %" PRIu64 " nodes", s->unknown,
                     s->nodes);
    if (s->twice) document_put(w->doc, "; listed twice: %" PRIu64, s->twice);
    document_end(w->doc);
    document_fact(w->doc, "",
                  "%" PRIu64 " of %" PRIu64 " leaves match a line (of %" PRIu64 "); %" PRIu64 " of %" PRIu64
                  " lines above them match a level of the fabric",
                  s->leaves_matched, s->leaves, s->leaf_lines, s->upper_matched, s->upper_lines);
}

void check_put_slurm(json_writer *w, const bough_check_slurm *s) {
    if (!s->file) return;
    json_begin_object(w, "slurm", true);
    json_put_text(w, "file", s->file);
    json_put_whole(w, "hosts", (int64_t)s->hosts);
    json_put_whole(w, "nodes", (int64_t)s->nodes);
    json_put_whole(w, "right", (int64_t)s->right);
    json_put_whole(w, "moved", (int64_t)s->moved);
    json_put_whole(w, "missing", (int64_t)s->missing);
    json_put_whole(w, "unknown", (int64_t)s->unknown);
    json_put_whole(w, "twice", (int64_t)s->twice);
    json_put_whole(w, "leaves", (int64_t)s->leaves);
    json_put_whole(w, "leaf_lines", (int64_t)s->leaf_lines);
    json_put_whole(w, "leaves_matched", (int64_t)s->leaves_matched);
    json_put_whole(w, "upper", (int64_t)s->upper);
    json_put_whole(w, "upper_lines", (int64_t)s->upper_lines);
    json_put_whole(w, "upper_matched", (int64_t)s->upper_matched);
    json_end_object(w);
}
