/* peak.h -- no seconds of a network are shorter than the peak rate of its device allows. */
#ifndef DTS_TRAIN_MODEL_SECONDS_PEAK_H
#define DTS_TRAIN_MODEL_SECONDS_PEAK_H

#include "device/device.h"
#include "train/model/model.h"

/* Hold published or measured seconds of forward and backward, in *seconds, for `batch` samples
 * against the peak of the device: products and convolutions alone count, and a 3 x 3
 * convolution of stride 1 as a quarter, which Winograd's F(4x4, 3x3) needs (Lavin and Gray
 * 2016). Fails where no format of 32 bits or fewer, or of the precision, could be so fast; what
 * another format of the device could do, is noted in seconds->doubt. */
struct dts_peak_question {
    const struct dts_model *model;
    const struct dts_device *device;
    enum dts_precision precision;
    double batch;
    const struct dts_doc *doc; // where the seconds stand, and the path there, for messages
    const char *path;
};
bool dts_seconds_check_peak(const struct dts_peak_question *question,
                            struct dts_model_seconds *seconds, struct dts_error *err);

#endif
