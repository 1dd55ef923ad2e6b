/* result_keys.h -- every key of the JSON result "dtsim-result/1", for its help and its schema.
 */
#ifndef DTS_CLI_PRINT_RESULT_KEYS_H
#define DTS_CLI_PRINT_RESULT_KEYS_H

#include "base/json/keys.h"

void dts_result_keys(struct dts_keys *keys);

#endif
