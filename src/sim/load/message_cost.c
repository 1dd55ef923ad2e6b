/* message_cost.c -- what each message of a script puts on the wire, with data of a size. */
#include "sim/load/message_cost.h"

#include "base/mem.h"
#include "sim/paced.h"

/* Seconds to sum a byte that came by this transport. */
static double sum_s_of_byte(const struct dts_simulation *simulation,
                            const struct dts_transport *by)
{
    double rate = by->reduce_bytes_per_s;
    rate = rate > 0 ? rate : simulation->reduce_bytes_per_s;
    return rate > 0 ? 1 / rate : 0;
}

static struct dts_message_cost cost_of(const struct dts_transport *by,
                                       const struct dts_pair_route *route, double bytes,
                                       double sum_s)
{
    struct dts_transport_range range = dts_transport_at(by, bytes);
    double alpha_s = route->latency_s * range.latency_factor + by->overhead_s;
    return (struct dts_message_cost){
        .wire_bytes = bytes / (by->efficiency * range.bandwidth_factor),
        .before_s = by->blocking ? alpha_s : 0,
        .after_s = by->blocking ? 0 : alpha_s,
        .sum_s = bytes * sum_s,
        .blocks = by->blocking,
    };
}

struct dts_message_cost *dts_script_cost(const struct dts_simulation *simulation,
                                         const struct dts_script *s,
                                         const struct dts_coll_pace *pace, size_t elements,
                                         size_t element_bytes, bool *even)
{
    struct dts_transport by[2];
    const struct dts_collective *c = s->collective;
    struct dts_message_cost *all = dts_alloc((size_t)s->message_count, sizeof(*all));
    int chunks = c->algorithm->chunks(&c->shape);
    dts_paced_transports(simulation->net, pace, by);
    double sum_s[2] = {sum_s_of_byte(simulation, &by[0]), sum_s_of_byte(simulation, &by[1])};
    *even = elements % ((size_t)c->channels * (size_t)chunks) == 0;
    for (int i = 0; i < s->message_count; i++) {
        const struct dts_script_message *message = &s->messages[i];
        const struct dts_pair_route *route = &s->pairs->routes[message->pair];
        size_t first, part, count;
        dts_coll_span(elements, c->channels, message->lane % c->channels, 1, &first, &part);
        dts_coll_span(part, chunks, message->first, message->count, &first, &count);
        if (count > 0)
            all[i] = cost_of(&by[route->by], route, (double)(count * element_bytes),
                             message->add ? sum_s[route->by] : 0);
    }
    return all;
}
