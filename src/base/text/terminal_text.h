/* Text that was copied from a terminal, or that has the error output of a tool among its lines: prompts of a
 * shell with their commands, messages of ssh and of the tools of InfiniBand, escape sequences, a byte order
 * mark. Readers of formats never see it:
 *
 *     uint64_t skipped = terminal_clean(&input.piece[0]);
 *
 * Readers that read a file block by block ask for each line that they do not know. */
#ifndef BOUGH_BASE_TEXT_TERMINAL_TEXT_H
#define BOUGH_BASE_TEXT_TERMINAL_TEXT_H

#include "base/text/scanner.h"

#include <inttypes.h>

/* Returns whether the line is no part of the data: a prompt ("[root@head ~]# cmd", "admin@sw1:~$", "sw1#"), a
 * message of ssh or a shell, or of a tool ("ibwarn: ..", "src/query_smp.c:195; umad ..", "-W- .."). Lines
 * that only begin with # may be comments and are not for this function. */
bool terminal_noise(const scanner *line);
/* What findings say of them, for their number. */
#define TERMINAL_SKIPPED "lines skipped, as they are messages of tools or prompts of a shell: %" PRIu64
/* Moves to the next line that is not noise, behind escape sequences at its start; false at the end. For what
 * recognises a format by its first lines; counts nothing. */
bool terminal_next_line(scanner *s);
/* Empties the lines that are noise, and removes escape sequences of colours, titles and cursors, and a byte
 * order mark. Other lines keep their numbers. Linear in the size. Returns how many lines were emptied. */
uint64_t terminal_clean(bough_input_piece *piece);
/* The same for all files of an input. */
uint64_t terminal_clean_all(bough_input *input);
/* Returns whether a text has escape sequences, so that it must be cleaned as a whole. */
bool terminal_escapes(const char *data, size_t size);

#endif
