#include "report/monitoring/finding_lists.h"

bool finding_lists_at(const bough_check_report *report, size_t i, const bough_findings **list) {
    const size_t of_routings = 2 * report->parts;
    *list = NULL;
    if (i == 0)
        *list = report->net->fabric ? &report->net->fabric->findings : NULL;
    else if (i == 1)
        *list = &report->wiring;
    else if (i < 2 + of_routings) {
        const bough_routing_report *part = &report->part[(i - 2) / 2];
        *list = i % 2 == 0 ? &part->routing->findings : &part->findings;
    } else if (i == 2 + of_routings)
        *list = &report->against.findings;
    else if (i == 3 + of_routings)
        *list = &report->expected.findings;
    return i <= 3 + of_routings;
}

uint64_t finding_lists_count(const bough_check_report *report, bough_severity severity) {
    const bough_findings *list;
    uint64_t count = 0;
    for (size_t i = 0; finding_lists_at(report, i, &list); i++)
        for (size_t k = 0; list && k < list->count; k++) count += list->item[k].severity == severity;
    return count;
}
