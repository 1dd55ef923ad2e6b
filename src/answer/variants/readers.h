/* readers.h -- jobs that read samples at once share the storage of all nodes. */
#ifndef DTS_ANSWER_VARIANTS_READERS_H
#define DTS_ANSWER_VARIANTS_READERS_H

#include "answer/scene.h"

/* Devices of all jobs of a question, its neighbours among them, that read samples. */
double dts_reading_devices(const struct dts_question *question);

#endif
