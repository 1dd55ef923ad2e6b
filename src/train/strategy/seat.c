/* seat.c -- the seat of a worker that has the whole network; others ask their strategy. */
#include "train/strategy/seat.h"

#include <stdlib.h>

#include "base/mem.h"
#include "train/model/cut/part.h"
#include "train/scenario/scenario.h"

bool dts_seat_find(const struct dts_point *point, int rank, struct dts_seat *seat,
                   struct dts_error *err)
{
    *seat = (struct dts_seat){.parts = NULL};
    if (point->strategy->kind->seat != NULL)
        return point->strategy->kind->seat(point, rank, seat, err);
    seat->parts = dts_alloc(1, sizeof(*seat->parts));
    seat->parts[0] = (struct dts_seat_part){
        .last = point->scenario->model.layer_count - 1, .slots = 1, .edges = -1};
    seat->part_count = 1;
    seat->replica = rank;
    seat->members = seat->experts = seat->contexts = 1;
    seat->whole = true;
    seat->speaks = seat->speaks_of_experts = rank == 0;
    return true;
}

void dts_seat_free(struct dts_seat *seat)
{
    for (int i = 0; seat->parts != NULL && i < seat->part_count; i++)
        free(seat->parts[i].again);
    free(seat->parts);
    dts_cut_part_free(seat->model);
    *seat = (struct dts_seat){.parts = NULL};
}
