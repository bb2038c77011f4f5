/* The files of a directory or an archive, such as the output of ibdiagnet: which of them is the fabric, and
 * which are tables. */
#ifndef BOUGH_FORMATS_FABRICS_FABRIC_BUNDLE_H
#define BOUGH_FORMATS_FABRICS_FABRIC_BUNDLE_H

#include "base/files/input.h"
#include "formats/fabrics/finding_list.h"

/* Reads fabrics and tables, and leaves out other files. */
extern const bough_input_choice fabric_bundle_files;

/* Selects the file that says most about the fabric. Errors: INVALID for none, and for several of one kind. */
bough_status fabric_bundle_choose(const bough_input *input, const bough_input_piece **piece,
                                  bough_error *error);
/* Logs which file was selected and what the others are, if there are others. */
bough_status fabric_bundle_note(const bough_input *input, const bough_input_piece *piece,
                                bough_finding_log *log, bough_error *error);

#endif
