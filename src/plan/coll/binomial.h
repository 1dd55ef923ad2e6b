/* binomial.h -- the binomial tree that several algorithms pass data along.
 *
 * Member 0 is the root. An edge of dimension d joins a member whose number is a multiple of
 * 2^(d+1) with the one 2^d above it; what hangs below are the 2^d members from there on. With 8
 * members:
 *
 *     dimension 2   0 ------------- 4
 *     dimension 1   0 ----- 2       4 ----- 6
 *     dimension 0   0 - 1   2 - 3   4 - 5   6 - 7
 *
 * Down the tree the dimensions come from the highest to 0, up the tree from 0 to the highest.
 */
#ifndef DTS_PLAN_COLL_BINOMIAL_H
#define DTS_PLAN_COLL_BINOMIAL_H

#include "plan/coll/coll.h"

/* Dimensions of the tree: the logarithm of `size`, rounded up. */
int dts_binomial_dimensions(int size);

/* The message of a member along its edge of a dimension, down or up. The caller says what
 * travels; peer and send are filled in, and add is kept for the receiver alone. Returns how
 * many messages there are, 0 or 1. */
int dts_binomial_pass(int size, int member, int dimension, bool down,
                      struct dts_coll_message what, struct dts_coll_message *message);

/* The same for a scatter (down) or gather (up), where every member has `each` chunks of its
 * own: along an edge travels what belongs to the members below it. */
int dts_binomial_deal(int size, int member, int dimension, bool down, int each,
                      struct dts_coll_message *message);

#endif
