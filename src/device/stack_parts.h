/* stack_parts.h -- tables of the keys of objects in a stack file. */
#ifndef DTS_DEVICE_STACK_PARTS_H
#define DTS_DEVICE_STACK_PARTS_H

#include "device/stack.h"

extern const struct dts_field dts_stack_kernel_fields[]; // of struct dts_stack_kernels
extern const struct dts_field dts_stack_memory_fields[]; // of struct dts_stack_memory

#endif
