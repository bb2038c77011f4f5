/* The parts of the JSON of a check. */
#ifndef BOUGH_FABRIC_CHECK_CHECK_JSON_PARTS_H
#define BOUGH_FABRIC_CHECK_CHECK_JSON_PARTS_H

#include "base/json/json_writer.h"
#include "fabric/check/check.h"
#include "fabric/check/check_rates.h"
#include "fabric/check/finding_groups.h"

/* The whole, as one document. */
void check_put_report(json_writer *w, const bough_check_report *report);

/* The array `findings` of a group; part: of a routing, else 0. */
void check_put_findings(json_writer *w, const bough_check_report *report, finding_subject subject,
                        size_t part);
/* The name of a link; null: BOUGH_NONE. */
void check_put_link(json_writer *w, const char *key, const bough_net *net, uint64_t link);
/* "failures", "without", "degradation": those that there are. */
void check_put_failures(json_writer *w, const bough_net *net, const bough_check_failures *failures);
/* "rating", of a result. */
void check_put_rating(json_writer *w, const bough_check_report *report, const bough_routing_report *part);
/* "alltoall_score" .. "cycle_links", of a result. */
void check_put_scores(json_writer *w, const bough_check_report *report, const bough_check_result *result);
/* "rates", "wiring_score", "tables_score", "scale", "single_points", "headlines", "comparison". */
void check_put_summary(json_writer *w, const bough_check_report *report);
void check_put_jobs(json_writer *w, const bough_check_report *report);
void check_put_against(json_writer *w, const bough_check_report *report);
/* Each nothing where it was not asked for, or is not there. */
void check_put_planes(json_writer *w, const bough_net *net, const bough_planes *planes);
void check_put_adaptive(json_writer *w, const bough_net *net, const bough_check_adaptive *adaptive);
void check_put_placements(json_writer *w, const bough_check_report *report);
void check_put_expected(json_writer *w, const bough_check_report *report);
void check_put_slurm(json_writer *w, const bough_check_slurm *slurm);
void check_put_counters(json_writer *w, const bough_check_report *report);

#endif
