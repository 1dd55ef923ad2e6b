/* data.h -- what a network is trained on and tried on. One file and one row for each format.
 *
 * Samples have numbers, 0 .. samples - 1 in each part; whoever asks for a number gets the same
 * sample. train/network/order.h says which numbers a step has.
 */
#ifndef DTS_TRAIN_NETWORK_DATA_DATA_H
#define DTS_TRAIN_NETWORK_DATA_DATA_H

#include "train/network/network.h"

enum dts_data_part { DTS_DATA_TRAIN, DTS_DATA_TEST, DTS_DATA_PARTS };

struct dts_data_request {
    const char *format; // a row's name
    const char *folder; // of its files; NULL: none was given
    const struct dts_model *model;
    struct dts_network *network; // of the model: must be able to take the samples
    uint64_t samples;            // of the training part that are used
    uint64_t seed;
};

struct dts_data_format {
    const char *name, *summary;
    /* Fills how many samples there are; of the training part no more than were asked for. */
    bool (*open)(const struct dts_data_request *request, void **self,
                 uint64_t samples[DTS_DATA_PARTS], struct dts_error *err);
    /* Input and targets of the network become the samples of these numbers. */
    void (*fill)(const void *self, enum dts_data_part part, struct dts_network *network,
                 const uint64_t *numbers, int batch);
    void (*close)(void *self);
};

extern const struct dts_data_format *const dts_data_formats[]; // ended by NULL

struct dts_data;

/* Fails where there is no such format, or what it reads is not as it must be. */
bool dts_data_open(struct dts_data **data, const struct dts_data_request *request,
                   struct dts_error *err);
void dts_data_close(struct dts_data *data); // NULL: nothing

uint64_t dts_data_samples(const struct dts_data *data, enum dts_data_part part);
void dts_data_fill(const struct dts_data *data, enum dts_data_part part,
                   struct dts_network *network, const uint64_t *numbers, int batch);

#endif
