/* scene.c -- the questions of a scene, and its end. */
#include "answer/scene.h"

#include <stdlib.h>

struct dts_question dts_question_of(const struct dts_scene *scene, int strategy, int devices)
{
    return (struct dts_question){.scenario = &scene->scenario,
                                 .platform = &scene->platform,
                                 .device = &scene->device,
                                 .kinds = scene->kinds,
                                 .strategy = &scene->scenario.strategies[strategy],
                                 .devices = devices,
                                 .phases = scene->phases,
                                 .phase_count = scene->phase_count,
                                 .neighbours = scene->neighbours,
                                 .neighbour_count = scene->neighbour_count,
                                 .setting = scene->setting};
}

static void close_all(struct dts_scene *scenes, int count)
{
    for (int i = 0; i < count; i++)
        dts_scene_close(&scenes[i]);
    free(scenes);
}

void dts_scene_close(struct dts_scene *scene)
{
    close_all(scene->phases, scene->phase_count);
    close_all(scene->neighbours, scene->neighbour_count);
    dts_text_free(&scene->unused);
    dts_text_free(&scene->left_out);
    for (int k = 0; scene->kinds != NULL && k < scene->platform.kind_count; k++)
        dts_device_free(&scene->kinds[k]);
    free(scene->kinds);
    dts_device_free(&scene->device);
    dts_platform_free(&scene->platform);
    dts_scenario_free(&scene->scenario);
    *scene = (struct dts_scene){0};
}
