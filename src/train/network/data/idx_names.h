/* idx_names.h -- the four files of a set in a folder, by the names that people have them under:
 *
 *     train-images-idx3-ubyte  train-labels-idx1-ubyte
 *     t10k-images-idx3-ubyte   t10k-labels-idx1-ubyte
 *
 * with a dot for the dash before "idx", "test" for "t10k", ".gz" behind the name, any prefix
 * that all four share (emnist-letters-, qmnist-), "int" for "ubyte"; or in a folder of that
 * name.
 */
#ifndef DTS_TRAIN_NETWORK_DATA_IDX_NAMES_H
#define DTS_TRAIN_NETWORK_DATA_IDX_NAMES_H

#include "train/network/data/data.h"
#include "train/network/data/idx_file.h"

struct dts_idx_names {
    char *paths[DTS_DATA_PARTS][DTS_IDX_USES]; // owned
};

/* The set without a prefix, where it is there, else the only one. Fails where there is none,
 * with what is there, or more than one. */
bool dts_idx_names_find(struct dts_idx_names *names, const char *folder, struct dts_error *err);
void dts_idx_names_free(struct dts_idx_names *names);

#endif
