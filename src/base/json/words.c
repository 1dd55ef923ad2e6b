/* words.c -- which known word did somebody mean. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json/words.h"
#include "base/mem.h"

enum {
    LONGEST = 64, // letters that are compared
    LISTED = 24,  // words that a message lists
    MEANT = 4,    // words that one beginning may stand for, in a message
};

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* What it costs to write one letter for another. Two numbers are two things more often than a
 * slip of the finger: v100_16gb is not v100_32gb. */
static int replacing(int x, int y)
{
    if (x == y)
        return 0;
    return isdigit(x) && isdigit(y) ? 2 : 1;
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
            next[j] = least(least(last[j], next[j - 1]) + 1, last[j - 1] + replacing(x, y));
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

/* Is `word` how `whole` begins? One letter says nothing. */
static bool begins(const char *word, const char *whole)
{
    size_t length = strlen(word);
    return length >= 2 && strncasecmp(word, whole, length) == 0;
}

static const char *by_letters(const char *word, const char *const *words)
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
    return nearest;
}

/* The longest known word that begins what was written: h100 for h100_sxm. */
static const char *longest_beginning(const char *word, const char *const *words)
{
    const char *longest = NULL;
    size_t most = 2; // letters
    for (int i = 0; words[i] != NULL; i++) {
        size_t length = strlen(words[i]);
        if (length > most && strncasecmp(word, words[i], length) == 0) {
            longest = words[i];
            most = length;
        }
    }
    return longest;
}

const char *dts_words_nearest(const char *word, const char *const *words)
{
    for (int i = 0; words[i] != NULL; i++)
        if (begins(word, words[i]))
            return words[i];
    const char *nearest = by_letters(word, words);
    return nearest != NULL ? nearest : longest_beginning(word, words);
}

/* All that it may be the beginning of: "a100_40gb or a100_80gb"; else the nearest. */
bool dts_words_mean(struct dts_text *text, const char *word, const char *const *words)
{
    const char *nearest = dts_words_nearest(word, words);
    int count = 0, shown = 0;
    if (nearest == NULL)
        return false;
    for (int i = 0; words[i] != NULL; i++)
        count += begins(word, words[i]);
    dts_text_add(text, " (did you mean ");
    if (count == 0)
        dts_text_add(text, "%s", nearest);
    for (int i = 0; words[i] != NULL && shown < MEANT; i++)
        if (begins(word, words[i])) {
            bool last = shown == count - 1;
            dts_text_add(text, "%s%s", shown == 0 ? "" : last ? " or " : ", ", words[i]);
            shown++;
        }
    if (count > shown)
        dts_text_add(text, " or %d more", count - shown);
    dts_text_add(text, "?)");
    return true;
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
    if (!dts_words_mean(text, word, words) && words[0] != NULL) {
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
