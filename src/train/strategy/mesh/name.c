/* name.c -- what a mesh is called where its scenario does not say. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "train/strategy/mesh/mesh.h"

/* As much as there is room for. */
__attribute__((format(printf, 2, 3))) static void add(struct dts_mesh *mesh, const char *format,
                                                      ...)
{
    const size_t at = strlen(mesh->name);
    va_list values;
    va_start(values, format);
    vsnprintf(mesh->name + at, sizeof(mesh->name) - at, format, values);
    va_end(values);
}

/* Sizes of axes, "_p4_x8_t2", and how several axes of an image share theirs, "_2x4". */
static void add_sizes(struct dts_mesh *mesh)
{
    static const char letters[DTS_AXES] = {'t', 'x', 'c', 's', 'd', 'p'};
    for (int axis = DTS_AXES - 1; axis >= 0; axis--)
        if (mesh->sizes[axis] > 1)
            add(mesh, "_%c%d", letters[axis], mesh->sizes[axis]);
    for (int a = 0; a < DTS_OP_AXES && mesh->spatial.along > 1; a++)
        if (a == 0 || mesh->spatial.grid[a] > 1)
            add(mesh, "%s%d", a == 0 ? "_" : "x", mesh->spatial.grid[a]);
    if (mesh->expert.size > 1)
        add(mesh, "_e%d", mesh->expert.size);
}

void dts_mesh_set_name(struct dts_mesh *mesh)
{
    static const char *const zero[] = {"", "_zero1", "_zero2", "_zero3"};
    snprintf(mesh->name, sizeof(mesh->name), "mesh");
    add_sizes(mesh);
    if (mesh->convolutions != DTS_CUT_WHOLE)
        add(mesh, "_%s", mesh->convolutions_word);
    add(mesh, "%s", zero[mesh->sharded]);
    if (mesh->offload != DTS_OFFLOAD_NOTHING)
        add(mesh, "_offload");
    const size_t at = strlen(mesh->name);
    dts_mesh_recompute_name(mesh, mesh->name + at, sizeof(mesh->name) - at);
    if (mesh->compression != NULL)
        add(mesh, "_%s", mesh->compression->name);
    if (mesh->synchrony.local_steps > 0)
        add(mesh, "_%s_%d", mesh->synchrony.outer ? "diloco" : "local",
            mesh->synchrony.local_steps);
    if (mesh->sequence_parallel)
        add(mesh, "_sp");
    if (mesh->sizes[DTS_AXIS_PIPELINE] != 1 && mesh->schedule != dts_pipeline_schedules[0])
        add(mesh, "_%s", mesh->schedule->name);
}
