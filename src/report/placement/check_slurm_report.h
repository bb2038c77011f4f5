/* The comparison with Slurm's topology.conf, in the report of a check. */
#ifndef BOUGH_REPORT_PLACEMENT_CHECK_SLURM_REPORT_H
#define BOUGH_REPORT_PLACEMENT_CHECK_SLURM_REPORT_H

#include "base/json/json_writer.h"
#include "report/check/check_writer.h"

/* Nothing where none was asked for. */
void check_slurm_text(check_writer *w);
void check_put_slurm(json_writer *w, const bough_check_slurm *slurm);

#endif
