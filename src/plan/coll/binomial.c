/* binomial.c -- passes, scatters and gathers along a binomial tree. */
#include "plan/coll/binomial.h"

int dts_binomial_dimensions(int size)
{
    int dimensions = 0;
    while ((long)1 << dimensions < size)
        dimensions++;
    return dimensions;
}

int dts_binomial_pass(int size, int member, int dimension, bool down,
                      struct dts_coll_message what, struct dts_coll_message *message)
{
    int distance = 1 << dimension;
    int below = member & (2 * distance - 1);
    bool is_parent = below == 0 && member + distance < size;
    bool is_child = below == distance;
    if (!is_parent && !is_child)
        return 0;
    what.peer = is_parent ? member + distance : member - distance;
    what.send = is_parent == down;
    what.add = what.add && !what.send;
    *message = what;
    return 1;
}

int dts_binomial_deal(int size, int member, int dimension, bool down, int each,
                      struct dts_coll_message *message)
{
    int distance = 1 << dimension;
    int child = (member & ~(2 * distance - 1)) + distance;
    int end = child + distance < size ? child + distance : size;
    struct dts_coll_message what = {.first = child * each, .count = (end - child) * each};
    return dts_binomial_pass(size, member, dimension, down, what, message);
}
