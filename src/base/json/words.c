/* words.c -- which known word did somebody mean. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json/words.h"
#include "base/mem.h"

enum { LONGEST = 64, LISTED = 24 }; // letters that are compared; words that a message lists

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Letters to insert, delete, replace or swap with their neighbour to make b of a, without
 * regard to case (the restricted distance of Damerau, doi:10.1145/363958.363994). */
static int distance(const char *a, const char *b)
{
    int rows[3][LONGEST + 1];
    int *before = rows[0], *last = rows[1], *next = rows[2];
    int length_a = (int)strnlen(a, LONGEST), length_b = (int)strnlen(b, LONGEST);
    for (int j = 0; j <= length_b; j++)
        last[j] = j;
    for (int i = 1; i <= length_a; i++) {
        next[0] = i;
        for (int j = 1; j <= length_b; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            next[j] = least(least(last[j], next[j - 1]) + 1, last[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                y == tolower((unsigned char)a[i - 2]))
                next[j] = least(next[j], before[j - 2] + 1);
        }
        int *free_row = before;
        before = last;
        last = next;
        next = free_row;
    }
    return last[length_b];
}

const char *dts_words_nearest(const char *word, const char *const *words)
{
    int length = (int)strnlen(word, LONGEST);
    int limit = least((length + 2) / 3, length - 1); // a third of the letters, never all
    const char *nearest = NULL;
    for (int i = 0; words[i] != NULL; i++) {
        int d = distance(word, words[i]);
        if (d <= limit) {
            nearest = words[i];
            limit = d - 1; // from now on only a nearer one
        }
    }
    for (int i = 0; nearest == NULL && length >= 3 && words[i] != NULL; i++) {
        size_t common = strlen(words[i]) < (size_t)length ? strlen(words[i]) : (size_t)length;
        if (common >= 3 && strncasecmp(word, words[i], common) == 0)
            nearest = words[i];
    }
    return nearest;
}

void dts_words_add(struct dts_text *text, const char *const *words)
{
    int count = 0;
    while (words[count] != NULL)
        count++;
    for (int i = 0; i < count && i < LISTED; i++) {
        dts_text_add(text, "%s", i > 0 ? ", " : "");
        dts_text_add_word(text, words[i], LONGEST);
    }
    if (count > LISTED)
        dts_text_add(text, ", and %d more", count - LISTED);
}

void dts_words_suggest(struct dts_text *text, const char *word, const char *const *words,
                       const char *lead)
{
    const char *nearest = dts_words_nearest(word, words);
    if (nearest != NULL) {
        dts_text_add(text, " (did you mean %s?)", nearest);
    } else if (words[0] != NULL) {
        dts_text_add(text, " (%s ", lead);
        dts_words_add(text, words);
        dts_text_add(text, ")");
    }
}

const char **dts_words_of(const char *(*choice)(int i))
{
    int count = 0;
    while (choice(count) != NULL)
        count++;
    const char **words = dts_alloc((size_t)count + 1, sizeof(*words));
    for (int i = 0; i < count; i++)
        words[i] = choice(i);
    return words;
}
