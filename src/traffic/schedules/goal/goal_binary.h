/* GOAL as LogGOPSim's txt2bin writes it for LogGOPSim and ATLAHS. All numbers are little-endian and not
 * aligned:
 *
 *     u64 4223; u32 ranks; u8 largest cpu; u8 largest nic
 *     ranks x { u64 begin; u64 end }                           of the rank, counted from byte 8 of the file
 *     for each rank:
 *         u32 operations; u32 roots; roots x u32               roots: operations that wait for nothing
 *         operations x { u32 waits; u8 kind (1 send, 2 recv, 3 calc); u32 peer; u64 size; u32 tag; u8 cpu;
 *                        u8 nic; u32 count, first; u32 count, first }    followers of its end, of its start
 *         u32 each: followers                                  numbers of operations of the rank
 *
 * A peer or tag of 2^32 - 1 is "any". Roots and waits follow from the followers. */
#ifndef BOUGH_TRAFFIC_SCHEDULES_GOAL_BINARY_H
#define BOUGH_TRAFFIC_SCHEDULES_GOAL_BINARY_H

#include "base/files/input.h"
#include "traffic/schedules/schedule.h"

/* True if the data begins as such a file does, also as one that LogGOPSim has used up (--save-mem). */
bool goal_is_binary(const char *data, size_t size);

/* Reads one file. Operations have no lines. Errors: INVALID with the rank and the operation, TOO_LARGE,
 * NO_MEMORY. */
bough_status goal_read_binary(const bough_input_piece *piece, const char *name, bough_schedule **schedule,
                              bough_error *error);

#endif
