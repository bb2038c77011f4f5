/* Any bytes as a file with several files in it, or one: refused with one line, or a fabric, and paths of
 * tables that can be read. */
#include "formats/fabrics/fabric.h"
#include "fuzz/file.h"
#include "fuzz/must.h"

#include <stdint.h>
#include <string.h>

static void look_at_tables(const char *path, const bough_fabric *f) {
    arena memory = {0};
    char **tables;
    size_t count;
    bough_error error = {0};
    MUST(!bough_fabric_tables_beside(path, &memory, &tables, &count, &error));
    for (size_t i = 0; i < count; i++) {
        bough_tables t;
        bough_findings findings = {0};
        MUST(strncmp(tables[i], path, strlen(path)) == 0);
        if (!bough_tables_read(&(bough_tables_file){tables[i]}, f, &t, &findings, &error))
            MUST(t.nodes == f->node_count);
        bough_tables_fini(&t);
        bough_findings_fini(&findings);
    }
    arena_fini(&memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    int file = fuzz_file(data, size, path, sizeof path);
    bough_fabric f;
    bough_error error = {0};
    if (bough_fabric_read_file(&(bough_fabric_file){path}, &f, &error)) {
        MUST(error.status && error.reason[0] && !strchr(error.reason, '\n') && !strchr(error.place, '\n'));
        MUST(!f.node && !f.findings.count);
    } else {
        MUST(f.node_count > 0 && f.source);
        for (size_t i = 0; i < f.findings.count; i++) MUST(!strchr(f.findings.item[i].text, '\n'));
        look_at_tables(path, &f);
    }
    bough_fabric_fini(&f);
    close(file);
    return 0;
}
