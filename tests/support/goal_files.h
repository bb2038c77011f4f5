/* Schedules as files in GOAL, for the tests of methods. */
#ifndef TESTS_SUPPORT_GOAL_FILES_H
#define TESTS_SUPPORT_GOAL_FILES_H

#include "traffic/schedules/schedule.h"

/* Writes a schedule; returns the path of the file, as temporary_file does (support/fabrics.h). */
const char *goal_file(const bough_schedule *schedule);

#endif
