/* network_lines.c -- where weights and gradients begin on this CPU: tensors lie behind one
 * another (network.h), and one of ten biases would put all behind it beside the lines of a
 * cache. Products read such weights in 1.12 times the time (512 x 512 by 32 rows, AVX-512). So
 * the first value lies where most others are in tensors that begin with a line.
 */
#include "kernels/vector/fetch.h"
#include "train/network/network_private.h"

/* Values to leave out before the first. */
static size_t lead_of(const struct dts_layout *layout, bool gradients)
{
    size_t with_line[DTS_LINE_VALUES] = {0}, best = 0;
    for (int i = 0; i < layout->count; i++) {
        const struct dts_layout_tensor *t = &layout->tensors[i];
        const size_t offset = gradients ? t->gradient : t->offset;
        if (!gradients || !t->listed)
            with_line[(DTS_LINE_VALUES - offset % DTS_LINE_VALUES) % DTS_LINE_VALUES] +=
                t->param->count;
    }
    for (size_t lead = 1; lead < DTS_LINE_VALUES; lead++)
        best = with_line[lead] > with_line[best] ? lead : best;
    return best;
}

static bool make(struct dts_network *n, struct dts_mirror *mirror, void **room, bool gradients,
                 struct dts_error *err)
{
    const size_t bytes =
        (gradients ? n->layout.gradients : n->layout.parameters) * sizeof(float);
    if (dts_space_is_apart(n->space))
        return dts_mirror_make(mirror, n->space, NULL, bytes, err);
    return dts_space_get(n->space, bytes + DTS_LINE_VALUES * sizeof(float), room, err) &&
           dts_mirror_make(mirror, n->space, (float *)*room + lead_of(&n->layout, gradients),
                           bytes, err);
}

bool dts_network_get_parameters(struct dts_network *n, struct dts_error *err)
{
    return make(n, &n->weights, &n->weights_room, false, err) &&
           make(n, &n->gradients, &n->gradients_room, true, err);
}

void dts_network_leave_room(struct dts_network *n, void **room)
{
    dts_space_give_back(n->space, *room);
    *room = NULL;
}
