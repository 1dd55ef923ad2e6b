/* network_lines.c -- where weights and gradients begin on this CPU: tensors lie behind one
 * another (network.h), and one of ten biases would put all behind it beside the lines of a
 * cache. Products read such weights in 1.12 times the time (512 x 512 by 32 rows, AVX-512). So
 * the first value lies where most others are in tensors that begin with a line.
 */
#include "kernels/vector/fetch.h"
#include "train/network/network_private.h"

typedef size_t offset_fn(const struct dts_network *n, int layer, int number);

/* Values to leave out before the first. */
static size_t lead_of(const struct dts_network *n, offset_fn *offset)
{
    size_t with_line[DTS_LINE_VALUES] = {0}, best = 0;
    for (int l = 0; l < n->model->layer_count; l++)
        for (int p = 0; p < n->model->layers[l].param_count; p++)
            with_line[(DTS_LINE_VALUES - offset(n, l, p) % DTS_LINE_VALUES) %
                      DTS_LINE_VALUES] += n->model->layers[l].params[p].count;
    for (size_t lead = 1; lead < DTS_LINE_VALUES; lead++)
        best = with_line[lead] > with_line[best] ? lead : best;
    return best;
}

static bool make(struct dts_network *n, struct dts_mirror *mirror, void **room, size_t count,
                 offset_fn *offset, struct dts_error *err)
{
    const size_t bytes = count * sizeof(float);
    if (dts_space_is_apart(n->space))
        return dts_mirror_make(mirror, n->space, NULL, bytes, err);
    return dts_space_get(n->space, bytes + DTS_LINE_VALUES * sizeof(float), room, err) &&
           dts_mirror_make(mirror, n->space, (float *)*room + lead_of(n, offset), bytes, err);
}

bool dts_network_get_parameters(struct dts_network *n, struct dts_error *err)
{
    return make(n, &n->weights, &n->weights_room, n->parameter_count, dts_network_offset,
                err) &&
           make(n, &n->gradients, &n->gradients_room, n->gradient_count,
                dts_network_gradient_offset, err);
}

void dts_network_leave_room(struct dts_network *n, void **room)
{
    dts_space_give_back(n->space, *room);
    *room = NULL;
}
