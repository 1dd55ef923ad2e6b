/* sentence.h -- the answer in one sentence. */
#ifndef DTS_CLI_PRINT_SENTENCE_H
#define DTS_CLI_PRINT_SENTENCE_H

#include "answer/result.h"
#include "base/text.h"

/* Of a list of cases, how far off they are. Else which point reaches the target first; or which
 * strategy is the fastest on the most devices, and by how much; or what the only strategy does
 * on the most devices. Ends without a full stop; adds nothing where no point has an answer. */
void dts_sentence(const struct dts_report *report, struct dts_text *sentence);

#endif
