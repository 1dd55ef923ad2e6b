/* counted.h -- what all ranks sent; they are threads of one process under SMPI. */
#ifndef DTS_TESTS_SMPI_COUNTED_H
#define DTS_TESTS_SMPI_COUNTED_H

#include <stddef.h>

void counted_send(size_t bytes);
void counted_take(double *messages, double *bytes); // since the last time

#endif
