/* anchor.h -- reads the list "anchors" of a stack file. */
#ifndef DTS_DEVICE_ANCHOR_H
#define DTS_DEVICE_ANCHOR_H

#include <stdio.h>

#include "base/json/keys.h"
#include "device/stack.h"

/* Read the list into stack->anchors. stack->assumed is read already. On failure what was read
 * is in the stack, for dts_stack_free(). */
bool dts_anchors_read(struct dts_stack *stack, const struct dts_cfg *list,
                      struct dts_error *err);
void dts_anchors_free(struct dts_stack *stack);

void dts_anchors_keys(struct dts_keys *keys);

#endif
