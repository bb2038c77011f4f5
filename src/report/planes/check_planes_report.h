/* Planes and rails in the text and the JSON of a check. */
#ifndef BOUGH_REPORT_PLANES_CHECK_PLANES_REPORT_H
#define BOUGH_REPORT_PLANES_CHECK_PLANES_REPORT_H

#include "base/json/json_writer.h"
#include "fabric/check/check.h"
#include "report/check/check_writer.h"

/* Lines of the network; none where the fabric is one plane. */
void check_planes_text(check_writer *w, const bough_planes *planes);
/* "planes", if there are several. */
void check_put_planes(json_writer *w, const bough_net *net, const bough_planes *planes);

#endif
