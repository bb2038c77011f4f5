#include "fabric/check/finding_groups.h"

finding_group finding_group_of(const bough_check_report *report, finding_subject subject, size_t part) {
    const bough_routing_report *of = &report->part[part];
    const bough_fabric *fabric = report->net->fabric;
    switch (subject) {
    case FINDINGS_OF_WIRING:
        return (finding_group){
            subject, 0, "the wiring", {fabric ? &fabric->findings : NULL, &report->wiring}};
    case FINDINGS_OF_ROUTING:
        return (finding_group){subject, part, of->routing->spec, {&of->routing->findings, &of->findings}};
    case FINDINGS_OF_COMPARISON:
        return (finding_group){subject, 0, "the comparison", {&report->against.findings}};
    default:
        return (finding_group){subject, 0, "the plan", {&report->expected.findings}};
    }
}

bool finding_group_at(const bough_check_report *report, size_t i, finding_group *group) {
    const size_t parts = report->parts;
    if (i > parts + 2) return false;
    finding_subject subject = i == 0           ? FINDINGS_OF_WIRING
                              : i <= parts     ? FINDINGS_OF_ROUTING
                              : i == parts + 1 ? FINDINGS_OF_COMPARISON
                                               : FINDINGS_OF_PLAN;
    *group = finding_group_of(report, subject, subject == FINDINGS_OF_ROUTING ? i - 1 : 0);
    return true;
}

uint64_t findings_count(const bough_check_report *report, bough_severity severity) {
    finding_group group;
    uint64_t count = 0;
    for (size_t i = 0; finding_group_at(report, i, &group); i++)
        for (int k = 0; k < 2; k++)
            for (size_t f = 0; group.list[k] && f < group.list[k]->count; f++)
                count += group.list[k]->item[f].severity == severity;
    return count;
}
