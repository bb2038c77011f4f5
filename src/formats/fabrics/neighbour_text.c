/* A table of neighbours as text, whose columns stand below dashes: `netq show lldp` of NVIDIA NetQ.
 *
 *   Matching lldp records:
 *   Hostname    Interface  Peer Hostname    Peer Interface  Last Changed
 *   ----------  ---------  ---------------  --------------  ------------
 *   leaf1       swp1       server1          eth0            47.9s
 *
 * Several tables, of several commands, may follow each other. */
#include "base/status/try.h"
#include "formats/fabrics/neighbour_columns.h"

/* Where the columns are: under their dashes, the last one up to the end of the line. */
typedef struct text_columns {
    size_t start[NEIGHBOUR_COLUMNS];
    unsigned count;
} text_columns;

static bool find_dashes(const scanner *line, text_columns *columns) {
    const size_t length = (size_t)(line->stop - line->at);
    columns->count = 0;
    for (size_t i = 0; i < length; i++) {
        if (!strchr("- \t\r", line->at[i])) return false;
        if (line->at[i] != '-' || (i && line->at[i - 1] == '-')) continue;
        if (columns->count == NEIGHBOUR_COLUMNS) return false;
        columns->start[columns->count++] = i;
    }
    return columns->count > 1;
}

static bough_slice cell_at(const scanner *line, const text_columns *columns, unsigned i) {
    const size_t length = (size_t)(line->stop - line->at), start = columns->start[i],
                 next = i + 1 < columns->count ? columns->start[i + 1] : length,
                 end = next < length ? next : length;
    return start < end ? (bough_slice){line->at + start, end - start} : (bough_slice){line->at, 0};
}

/* Whether names of columns stand here, and dashes in the next line. */
static bool is_header(const scanner *line, text_columns *columns, neighbour_table *table) {
    scanner next = *line;
    text_columns found;
    csv_cell name[NEIGHBOUR_COLUMNS];
    if (!scan_line(&next) || !find_dashes(&next, &found)) return false;
    *columns = found;
    for (unsigned i = 0; i < found.count; i++) {
        const bough_slice cell = cell_at(line, &found, i);
        name[i] = (csv_cell){.text = cell.text, .length = cell.length};
    }
    table->columns = found.count;
    return neighbour_columns_find(name, found.count, table->role, table->side);
}

static bool is_title(const scanner *line) {
    return scan_starts(line, "Matching lldp");
}

static bool recognise(const scanner *line) {
    text_columns columns;
    neighbour_table table;
    scanner s = *line;
    return (!is_title(&s) || scan_line(&s)) && is_header(&s, &columns, &table);
}

/* A line of words too far to the left or right of the dashes would be cut apart. */
static bool cuts_word(const scanner *line, const text_columns *columns) {
    for (unsigned i = 1; i < columns->count; i++) {
        const size_t at = columns->start[i];
        if (at < (size_t)(line->stop - line->at) && line->at[at - 1] != ' ' && line->at[at - 1] != '\t')
            return true;
    }
    return false;
}

static bough_status read_row(const scanner *line, const text_columns *columns, neighbour_table *table) {
    bough_slice cell[NEIGHBOUR_COLUMNS];
    if (!columns->count) return scan_fail(line, "expected the names of the columns, and dashes below them");
    if (cuts_word(line, columns))
        return scan_fail(line, "a word goes beyond its column, whose width the dashes above show; expected "
                               "the table as it was printed, or as JSON (netq show lldp json)");
    for (unsigned i = 0; i < columns->count; i++) cell[i] = cell_at(line, columns, i);
    return neighbour_table_row(table, cell, line->line);
}

static bough_status read_file(scanner *scan, bough_parsed_fabric *parsed) {
    bough_cables cables = BOUGH_CABLES(parsed);
    neighbour_table table = {.cables = &cables};
    text_columns columns = {.count = 0};
    bough_status status = BOUGH_OK;
    cables.neighbours = cables.sightings = true;
    while (!status && scan_line(scan)) {
        if (scan->at == scan->stop || *scan->at == '#' || is_title(scan)) continue;
        if (is_header(scan, &columns, &table))
            scan_line(scan);
        else if (!scan_done(&(scanner){.at = scan->at, .stop = scan->stop}))
            status = read_row(scan, &columns, &table);
    }
    TRY(bough_cables_finish(&cables));
    if (!status) neighbours_note_uncabled(&cables, table.uncabled);
    return status;
}

const bough_fabric_reader bough_reader_neighbours = {
    .format = "csv", .hosts_by_name = true, .recognise = recognise, .read = read_file};
