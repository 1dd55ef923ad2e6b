/* kept.c -- a file of records, each as it lies in memory: it is read by the program that wrote
 * it, on the machine that did, or not at all. What a kill cut off is left out.
 */
#include "answer/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/version.h"

/* What begins the file: another build of the program, or another layout of a result, is not
 * read. */
struct head {
    char magic[16], version[32];
    uint64_t record_bytes, build;
};

static const char magic[] = "dtsim points";

/* A number of this build: when the program that runs was made, and how long it is. */
static uint64_t build_number(void)
{
    struct stat s;
    if (stat("/proc/self/exe", &s) != 0)
        return 0;
    return (uint64_t)s.st_mtim.tv_sec * 1000003u + (uint64_t)s.st_mtim.tv_nsec +
           (uint64_t)s.st_size;
}

static struct head head_of_today(void)
{
    struct head head;
    memset(&head, 0, sizeof(head));
    snprintf(head.magic, sizeof(head.magic), "%s", magic);
    snprintf(head.version, sizeof(head.version), "%s", dts_version());
    head.record_bytes = sizeof(struct dts_kept_point);
    head.build = build_number();
    return head;
}

/* Is the output a file of its own, there already or not? */
static bool is_file(const char *path)
{
    struct stat s;
    return strcmp(path, "-") != 0 && (stat(path, &s) != 0 || S_ISREG(s.st_mode));
}

/* Open what is there, if it is ours: a file, no link, that begins as we begin one. *ours is
 * true, too, where there is nothing. */
static FILE *open_ours(const char *path, bool *ours)
{
    char begin[sizeof(magic)] = "";
    struct stat s;
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    *ours = file < 0 && errno == ENOENT;
    if (file < 0)
        return NULL;
    *ours =
        fstat(file, &s) == 0 && S_ISREG(s.st_mode) &&
        (s.st_size == 0 || (pread(file, begin, sizeof(begin), 0) == (ssize_t)sizeof(begin) &&
                            memcmp(begin, magic, sizeof(magic)) == 0));
    if (*ours)
        return fdopen(file, "rb");
    close(file);
    return NULL;
}

static void read_points(struct dts_kept *kept)
{
    const struct head today = head_of_today();
    struct head head;
    struct dts_kept_point point;
    if (fread(&head, sizeof(head), 1, kept->file) != 1 ||
        memcmp(&head, &today, sizeof(head)) != 0)
        return;
    while (fread(&point, sizeof(point), 1, kept->file) == 1) {
        dts_result_seal(&point.result);
        kept->points =
            dts_grow(kept->points, &kept->room, kept->count + 1, sizeof(*kept->points));
        kept->points[kept->count++] = point;
    }
}

/* Begin anew with what was read, so that no half record stands in the middle. Whoever has
 * nothing to keep yet makes no file. */
static void begin(struct dts_kept *kept)
{
    const struct head today = head_of_today();
    const int file = open(
        kept->path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    kept->file = file >= 0 ? fdopen(file, "wb") : NULL;
    kept->begun = true;
    if (kept->file == NULL)
        return;
    fwrite(&today, sizeof(today), 1, kept->file);
    if (kept->count > 0)
        fwrite(kept->points, sizeof(*kept->points), kept->count, kept->file);
    fflush(kept->file);
}

char *dts_kept_path(const char *output)
{
    struct dts_text path = {0};
    if (!is_file(output))
        return NULL;
    dts_text_add(&path, "%s.points", output);
    return dts_text_take(&path);
}

void dts_kept_open(struct dts_kept *kept, const char *output)
{
    *kept = (struct dts_kept){0};
    bool ours;
    kept->path = dts_kept_path(output);
    if (kept->path == NULL)
        return;
    kept->file = open_ours(kept->path, &ours);
    if (kept->file != NULL) {
        read_points(kept);
        fclose(kept->file);
        kept->file = NULL;
    }
    if (ours)
        return;
    fprintf(stderr,
            "dtsim: note: answers are not kept for a run that is ended: %s is another file\n",
            kept->path);
    free(kept->path);
    kept->path = NULL;
}

uint64_t dts_kept_key(uint64_t scene, const char *strategy, int number, int devices)
{
    const int numbers[] = {number, devices};
    uint64_t hash = dts_hash_bytes(scene, strategy, strlen(strategy) + 1);
    hash = dts_hash_bytes(hash, numbers, sizeof(numbers));
    return hash;
}

const struct dts_result *dts_kept_find(const struct dts_kept *kept, uint64_t key)
{
    for (size_t i = 0; i < kept->count; i++)
        if (kept->points[i].key == key)
            return &kept->points[i].result;
    return NULL;
}

/* There is no room: what is cut off helps nobody. */
static void give_up(struct dts_kept *kept)
{
    fclose(kept->file);
    unlink(kept->path);
    kept->file = NULL;
}

void dts_kept_add(struct dts_kept *kept, uint64_t key, const struct dts_result *result)
{
    if (kept->path == NULL || result->error.cause == DTS_SYSTEM ||
        result->error.cause == DTS_UNSUPPORTED)
        return;
    if (!kept->begun)
        begin(kept);
    if (kept->file == NULL)
        return;
    struct dts_kept_point *point = dts_alloc(1, sizeof(*point));
    point->key = key;
    point->result = *result;
    if (fwrite(point, sizeof(*point), 1, kept->file) != 1 || fflush(kept->file) != 0)
        give_up(kept);
    free(point);
}

void dts_kept_close(struct dts_kept *kept, bool done)
{
    if (kept->file != NULL)
        fclose(kept->file);
    if (done && kept->path != NULL && (kept->begun || kept->count > 0))
        unlink(kept->path);
    free(kept->path);
    free(kept->points);
    *kept = (struct dts_kept){0};
}
