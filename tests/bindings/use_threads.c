/* Two threads with a character each, and a long call that another thread cancels. Ends with 0 if all holds. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* ---- Two characters at once ---- */

typedef struct Work {
    const char* sample;
    const char* wrong_clip;
    float* result;
    size_t size;
    int holds;
} Work;

/* Makes a character, mushes and deforms it, and meets an error of its own. */
static void* works(void* argument) {
    Work* work = argument;
    pelt_character *hero = NULL, *mushed = NULL;
    pelt_deformer* ddm = NULL;
    work->holds = pelt_sample(work->sample, "{\"resolution\": 900, \"skin\": \"smooth\"}", &hero) == PELT_OK &&
                  pelt_mush(hero, NULL, NULL, &mushed, NULL) == PELT_OK &&
                  pelt_deformer_make(mushed, "ddm", NULL, NULL, &ddm) == PELT_OK;
    if (!work->holds) return NULL;
    float* matrices = malloc(64 * pelt_joint_count(mushed));
    work->size = 12 * pelt_vertex_count(mushed);
    work->result = malloc(work->size);
    pelt_call two = {sizeof(pelt_call), NULL, NULL, 2};
    for (int pass = 0; pass < 20; ++pass) {
        work->holds &= pelt_skin_matrices(mushed, "0", 0.05 * pass, matrices) == PELT_OK;
        work->holds &= pelt_deformer_evaluate_frames(ddm, matrices, 1, work->result, NULL, &two) == PELT_OK;
        work->holds &= pelt_skin_matrices(mushed, work->wrong_clip, 0, matrices) == PELT_BAD_INPUT;
        work->holds &= strstr(pelt_error_message(), work->wrong_clip) != NULL; /* this thread's, not the other's */
    }
    free(matrices);
    pelt_deformer_free(ddm);
    pelt_character_free(mushed);
    pelt_character_free(hero);
    return NULL;
}

static void two_at_once(void) {
    Work together[2] = {{"bar", "jump", NULL, 0, 0}, {"bar3", "swim", NULL, 0, 0}};
    Work alone[2] = {{"bar", "jump", NULL, 0, 0}, {"bar3", "swim", NULL, 0, 0}};
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) CHECK(pthread_create(&threads[i], NULL, works, &together[i]) == 0);
    for (int i = 0; i < 2; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < 2; ++i) {
        works(&alone[i]);
        CHECK(together[i].holds && alone[i].holds && together[i].size == alone[i].size);
        CHECK(together[i].result && alone[i].result && memcmp(together[i].result, alone[i].result, alone[i].size) == 0);
        free(together[i].result);
        free(alone[i].result);
    }
}

/* ---- One character from two threads ---- */

static void* reads(void* argument) {
    const pelt_character* hero = argument;
    pelt_deformer* lbs = NULL;
    float* matrices = malloc(64 * pelt_joint_count(hero));
    float* positions = malloc(12 * pelt_vertex_count(hero));
    int holds = pelt_deformer_make(hero, "dqs", NULL, NULL, &lbs) == PELT_OK;
    for (int pass = 0; holds && pass < 20; ++pass)
        holds = pelt_skin_matrices(hero, "0", 0.05 * pass, matrices) == PELT_OK &&
                pelt_deformer_evaluate(lbs, matrices, positions, NULL) == PELT_OK;
    pelt_deformer_free(lbs);
    free(matrices);
    free(positions);
    return holds ? argument : NULL;
}

static void one_from_two(void) {
    pelt_character* hero = NULL;
    CHECK(pelt_sample("bar3", "{\"resolution\": 900, \"skin\": \"smooth\"}", &hero) == PELT_OK);
    pthread_t threads[2];
    for (int i = 0; i < 2; ++i) CHECK(pthread_create(&threads[i], NULL, reads, hero) == 0);
    for (int i = 0; i < 2; ++i) {
        void* held = NULL;
        CHECK(pthread_join(threads[i], &held) == 0 && held == hero);
    }
    pelt_character_free(hero);
}

/* ---- Cancelling from another thread ---- */

typedef struct Stop {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int begun, asked;
} Stop;

static int goes_on(void* user, const char* stage, double fraction) {
    Stop* stop = user;
    pthread_mutex_lock(&stop->mutex);
    stop->begun = stage != NULL && fraction <= 1;
    pthread_cond_signal(&stop->changed);
    while (!stop->asked) pthread_cond_wait(&stop->changed, &stop->mutex); /* the call is sure to be under way */
    pthread_mutex_unlock(&stop->mutex);
    return 0;
}

static void* asks(void* user) {
    Stop* stop = user;
    pthread_mutex_lock(&stop->mutex);
    while (!stop->begun) pthread_cond_wait(&stop->changed, &stop->mutex);
    stop->asked = 1;
    pthread_cond_signal(&stop->changed);
    pthread_mutex_unlock(&stop->mutex);
    return NULL;
}

static void cancelled_by_another(void) {
    pelt_character *hero = NULL, *none = NULL;
    Stop stop = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
    pelt_call call = {sizeof(pelt_call), goes_on, &stop, 0};
    pthread_t other;
    CHECK(pelt_sample("bar3", "{\"resolution\": 900}", &hero) == PELT_OK);
    CHECK(pthread_create(&other, NULL, asks, &stop) == 0);
    CHECK(pelt_mush(hero, NULL, &call, &none, NULL) == PELT_CANCELLED && none == NULL);
    CHECK(pthread_join(other, NULL) == 0);
    CHECK(pelt_mush(hero, NULL, NULL, &none, NULL) == PELT_OK); /* and the character is as it was */
    pelt_character_free(none);
    pelt_character_free(hero);
}

int main(void) {
    two_at_once();
    one_from_two();
    cancelled_by_another();
    return failures != 0;
}
