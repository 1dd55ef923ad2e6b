/* checkpoint.h -- the state of a training in a file, whole or not at all.
 *
 *     "dtsim-checkpoint/1\n", the number 0x01020304 (byte order), how long the identity is,
 *     how many parts, the step, the bytes of each part
 *     the identity, the parts
 *     the CRC-32 of all before
 *
 * The identity is text, a line for each thing that must be as it was. Sizes are held against
 * the file and against what the caller expects: nothing that a file says decides how much
 * memory is taken.
 */
#ifndef DTS_TRAIN_NETWORK_CHECKPOINT_H
#define DTS_TRAIN_NETWORK_CHECKPOINT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { DTS_CHECKPOINT_PARTS = 4 };

struct dts_checkpoint {
    const char *identity; // lines, each ended by "\n"
    uint64_t step;
    struct dts_checkpoint_part {
        void *bytes; // the caller's
        size_t count;
    } parts[DTS_CHECKPOINT_PARTS];
    int part_count;
};

/* Written beside, synced, renamed: on failure the file is as it was. */
bool dts_checkpoint_write(const struct dts_checkpoint *checkpoint, const char *path,
                          struct dts_error *err);

/* Fills step and parts; *there is false where there is no file, which is no failure. A file
 * that is truncated, damaged or of another training is one, and changes nothing. */
bool dts_checkpoint_read(struct dts_checkpoint *checkpoint, const char *path, bool *there,
                         struct dts_error *err);

/* CRC-32 of a text, to tell texts apart in an identity. */
uint32_t dts_checkpoint_sum(const char *text);

#endif
