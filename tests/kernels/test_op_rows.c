/* test_op_rows.c -- the tables of operations as a whole. */
#include <glob.h>
#include <stdlib.h>

#include "base/mem.h"
#include "check.h"
#include "kernels/compress/compress.h"
#include "kernels/op.h"
#include "kernels/reduce/reduce.h"
#include "kernels/space/gpu.h"
#include "kernels/update/update.h"
#include "train/model/layer/layer.h"

enum { MOST_ROWS = 128 };

static int rows(void)
{
    int count = 0;
    while (dts_operations[count] != NULL)
        count++;
    return count;
}

/* Mark the operations that a test's source names in quotes. */
static void find_named(const char *path, bool *named)
{
    char line[512], quoted[64];
    FILE *file = fopen(path, "r");
    while (CHECK(file != NULL) && fgets(line, sizeof(line), file) != NULL)
        for (int i = 0; dts_operations[i] != NULL; i++) {
            snprintf(quoted, sizeof(quoted), "\"%s\"", dts_operations[i]->name);
            named[i] = named[i] || strstr(line, quoted) != NULL;
        }
    if (file != NULL)
        fclose(file);
}

static void every_operation_has_a_test(void)
{
    bool named[MOST_ROWS] = {false};
    glob_t files;
    CHECK(rows() < MOST_ROWS);
    CHECK_INT(glob(DTS_SOURCE "/tests/kernels/test_op_*.c", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++)
        find_named(files.gl_pathv[i], named);
    globfree(&files);
    for (int i = 0; dts_operations[i] != NULL; i++)
        if (!CHECK(named[i]))
            printf("  no test of %s\n", dts_operations[i]->name);
}

static void rows_are_whole(void)
{
    for (int i = 0; dts_operations[i] != NULL; i++) {
        const struct dts_operation *op = dts_operations[i];
        CHECK(dts_operation_find(op->name) == op); // no other has its name
        CHECK(op->summary != NULL && op->cost != NULL);
        CHECK(op->reference.forward != NULL && op->reference.backward != NULL);
        CHECK(op->host.forward != NULL && op->host.backward != NULL);
        if (!CHECK((op->cuda.forward != NULL) == dts_gpu_built()) ||
            !CHECK((op->cuda.backward != NULL) == dts_gpu_built()))
            printf("  cuda of %s\n", op->name);
        CHECK(op->loss || !op->classes);
    }
    CHECK(dts_operation_find("nothing of this name") == NULL);
}

static void updates_are_whole(void)
{
    for (int i = 0; dts_updates[i] != NULL; i++) {
        const struct dts_update *update = dts_updates[i];
        const char *name = update->optimizer->name;
        CHECK(dts_update_find(name) == update);
        CHECK(update->reference != NULL && update->host != NULL);
        if (!CHECK((update->cuda != NULL) == dts_gpu_built()))
            printf("  cuda of %s\n", name);
    }
}

static void reductions_are_whole(void)
{
    for (int i = 0; dts_reductions[i] != NULL; i++) {
        const struct dts_reduction *r = dts_reductions[i];
        CHECK(dts_reduction_find(r->name) == r);
        CHECK(r->summary != NULL && r->reference != NULL && r->host != NULL);
        if (!CHECK((r->cuda != NULL) == dts_gpu_built()))
            printf("  cuda of %s\n", r->name);
    }
}

static void compressions_are_whole(void)
{
    for (int i = 0; dts_compressions[i] != NULL; i++) {
        const struct dts_compression *c = dts_compressions[i];
        CHECK(dts_compression_find(c->name) == c);
        CHECK(c->summary != NULL && c->cost != NULL && c->cost->bytes != NULL);
        CHECK(c->reference.compress != NULL && c->reference.add != NULL);
        CHECK(c->host.compress != NULL && c->host.add != NULL);
        if (!CHECK((c->cuda.compress != NULL) == dts_gpu_built()) ||
            !CHECK((c->cuda.add != NULL) == dts_gpu_built()))
            printf("  cuda of %s\n", c->name);
    }
}

/* The call of a layer kind, as if all its keys were 0. */
static const char *call_of(const struct dts_layer_kind *kind)
{
    struct dts_op_call call = {.op = kind->name};
    void *self = dts_alloc(kind->size + 1, 1);
    if (kind->describe != NULL)
        kind->describe(self, &call);
    free(self);
    return call.op;
}

static bool is_called(const struct dts_operation *op)
{
    for (int i = 0; dts_layer_kinds[i] != NULL; i++)
        if (dts_operation_find(call_of(dts_layer_kinds[i])) == op)
            return true;
    return false;
}

/* So that what tests/train/test_layers.c asks of costs is asked of each operation's. */
static void layers_and_operations_have_one_cost(void)
{
    for (int i = 0; dts_layer_kinds[i] != NULL; i++) {
        const struct dts_layer_kind *kind = dts_layer_kinds[i];
        if (kind->cost == NULL) // a view
            continue;
        const struct dts_operation *op = dts_operation_find(call_of(kind));
        if (!CHECK(op != NULL) || !CHECK(op->cost == kind->cost))
            printf("  of %s\n", kind->name);
    }
    for (int i = 0; dts_operations[i] != NULL; i++)
        if (!CHECK(is_called(dts_operations[i])))
            printf("  no layer for %s\n", dts_operations[i]->name);
}

TESTS(TEST(every_operation_has_a_test), TEST(rows_are_whole), TEST(updates_are_whole),
      TEST(reductions_are_whole), TEST(compressions_are_whole),
      TEST(layers_and_operations_have_one_cost))
