/* YAML syntax by libyaml's document API: nodes with line numbers. */
#include "study/files/yaml_reader.h"

#include "base/text/yaml_limits.h"

#include <stdio.h>
#include <string.h>

const char *reader_place(reader *r, unsigned line) {
    if (r->setting) return r->file;
    snprintf(r->place, sizeof r->place, "%.240s:%u", r->file, line);
    return r->place;
}

unsigned reader_line(const yaml_node_t *node) {
    return (unsigned)node->start_mark.line + 1;
}

/* A YAML syntax error is often caused by an unquoted spec: true if a line nearby contains its characters. */
static bool line_has_spec(const reader *r, unsigned line) {
    const char *p = r->text, *end = r->text + r->size;
    for (; line > 1 && p && p < end; line--) {
        p = memchr(p, '\n', (size_t)(end - p));
        if (p) p++;
    }
    if (!p || p >= end) return false;
    const char *stop = memchr(p, '\n', (size_t)(end - p));
    if (!stop) stop = end;
    const char *colon = memchr(p, ':', (size_t)(stop - p));
    return (colon && memchr(colon + 1, ':', (size_t)(stop - colon - 1))) ||
           memchr(p, '{', (size_t)(stop - p)) || memchr(p, ',', (size_t)(stop - p));
}

static bough_status syntax_error(reader *r, const yaml_parser_t *parser) {
    if (parser->error == YAML_MEMORY_ERROR || !parser->problem) return bough_fail_memory(r->error, r->size);
    const char *problem = parser->problem;
    bool other = strstr(problem, "end of stream") || strstr(problem, "tab character");
    unsigned line = (unsigned)parser->problem_mark.line + 1;
    unsigned spec = other                                    ? 0
                    : line_has_spec(r, line)                 ? line
                    : line > 1 && line_has_spec(r, line - 1) ? line - 1
                                                             : 0;
    if (!spec)
        return bough_fail(r->error, BOUGH_INVALID, reader_place(r, line), "not valid YAML: %s", problem);
    return bough_fail(r->error, BOUGH_INVALID, reader_place(r, spec),
                      "not valid YAML: %s; quote specs that contain {, a comma in brackets, or a colon and a "
                      "space, as in \"fattree:n={n}\"",
                      problem);
}

bough_status reader_load(reader *r, yaml_document_t *document, bool *loaded) {
    yaml_parser_t parser;
    yaml_excess excess;
    *loaded = false;
    if (yaml_exceeds_limits(r->text, r->size, &excess))
        return bough_fail(r->error, BOUGH_INVALID, reader_place(r, (unsigned)excess.line), "%s",
                          excess.reason);
    if (!yaml_parser_initialize(&parser)) return bough_fail_memory(r->error, r->size);
    yaml_parser_set_input_string(&parser, (const unsigned char *)r->text, r->size);
    bough_status status = BOUGH_OK;
    if (!yaml_parser_load(&parser, document)) {
        status = syntax_error(r, &parser);
    } else {
        *loaded = true;
        yaml_document_t second;
        if (!yaml_document_get_root_node(document)) {
            status = bough_fail(r->error, BOUGH_INVALID, r->file,
                                "the file is empty; a study needs network and methods");
        } else if (!yaml_parser_load(&parser, &second)) {
            status = syntax_error(r, &parser);
        } else {
            const yaml_node_t *root = yaml_document_get_root_node(&second);
            if (root)
                status = bough_fail(r->error, BOUGH_INVALID, reader_place(r, reader_line(root)),
                                    "a second document starts here; a study file contains only one");
            yaml_document_delete(&second);
        }
    }
    yaml_parser_delete(&parser);
    return status;
}
