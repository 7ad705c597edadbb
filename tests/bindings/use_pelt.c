/* A program in C99 that does with the library what a binding in another language does. Ends with 0 if all holds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int stop_at_once(void* user, const char* stage, double fraction) {
    ++*(int*)user;
    return stage == NULL || fraction > 2;
}

static void deforms(const pelt_character* hero) {
    const size_t vertices = pelt_vertex_count(hero), joints = pelt_joint_count(hero);
    float* matrices = malloc(64 * joints);
    float* positions = malloc(12 * vertices);
    float* normals = malloc(12 * vertices);
    pelt_deformer* ddm = NULL;
    CHECK(pelt_deformer_make(hero, "ddm", "{\"alpha\": 0.8}", NULL, &ddm) == PELT_OK);
    CHECK(pelt_skin_matrices(hero, NULL, 0, matrices) == PELT_OK);
    CHECK(pelt_deformer_evaluate(ddm, matrices, positions, normals) == PELT_OK);
    double farthest = 0;
    for (size_t i = 0; i < 3 * vertices; ++i) farthest = fmax(farthest, fabs(positions[i] - pelt_positions(hero)[i]));
    CHECK(farthest < 1e-4); /* the rest pose comes back */
    matrices[3] = 1;
    CHECK(pelt_deformer_evaluate(ddm, matrices, positions, normals) == PELT_BAD_INPUT);
    CHECK(strstr(pelt_error_message(), "not affine") != NULL);
    uint8_t* prepared = NULL;
    size_t size = 0;
    pelt_deformer* again = NULL;
    CHECK(pelt_deformer_save(ddm, &prepared, &size) == PELT_OK);
    CHECK(pelt_deformer_load(hero, prepared, size, &again) == PELT_OK);
    CHECK(pelt_deformer_load(hero, prepared, size - 1, &again) == PELT_BAD_INPUT);
    CHECK(pelt_skin_matrices(hero, "0", 0.5, matrices) == PELT_OK);
    CHECK(pelt_deformer_evaluate(ddm, matrices, positions, NULL) == PELT_OK);
    CHECK(pelt_deformer_evaluate_at(again, "0", 0.5, normals, NULL) == PELT_OK);
    CHECK(memcmp(positions, normals, 12 * vertices) == 0); /* prepared once, and at a moment of a clip */
    CHECK(pelt_deformer_evaluate_at(again, "nowhere", 0.5, normals, NULL) == PELT_BAD_INPUT);
    pelt_free(prepared);
    pelt_deformer_free(again);
    pelt_deformer_free(ddm);
    CHECK(pelt_deformer_make(hero, "dmm", NULL, NULL, &ddm) == PELT_BAD_USAGE);
    CHECK(pelt_deformer_make(hero, "dqs", "{\"alpha\": 1}", NULL, &ddm) == PELT_BAD_USAGE);
    free(matrices);
    free(positions);
    free(normals);
}

static void makes(const pelt_character* hero) {
    pelt_character *mushed = NULL, *again = NULL;
    char* report = NULL;
    CHECK(pelt_mush(hero, "{\"kappa\": 0.5, \"variant\": \"v2\"}", NULL, &mushed, &report) == PELT_OK);
    CHECK(report && strstr(report, "\"variant\":\"v2\"") != NULL);
    pelt_free(report);
    uint8_t* bytes = NULL;
    size_t size = 0;
    CHECK(pelt_save_bytes(mushed, &bytes, &size) == PELT_OK);
    CHECK(pelt_load_bytes(bytes, size, NULL, NULL, &again) == PELT_OK);
    CHECK(pelt_vertex_count(again) == pelt_vertex_count(hero));
    CHECK(pelt_load_bytes(bytes, size / 2, NULL, NULL, &again) == PELT_BAD_INPUT);
    pelt_free(bytes);
    int told = 0;
    pelt_call call = {sizeof(pelt_call), stop_at_once, &told, 0};
    pelt_character* none = NULL;
    CHECK(pelt_mush(hero, NULL, &call, &none, NULL) == PELT_CANCELLED);
    CHECK(none == NULL && told == 1);
    CHECK(pelt_mush(hero, "{\"kapa\": 0.5}", NULL, &none, NULL) == PELT_BAD_USAGE);
    CHECK(strstr(pelt_error_message(), "'kappa'") != NULL); /* the nearest option is suggested */
    pelt_character_free(mushed);
    pelt_character_free(again);
}

static void poses(const pelt_character* hero) {
    pelt_poser* poser = NULL;
    double before = 0, after = 0;
    const char* handles =
        "[{\"joint\": \"joint0\", \"constraint\": \"hold\"},"
        " {\"joint\": \"joint1\", \"constraint\": \"position\", \"offset\": [0.1, 0, 0]}]";
    CHECK(pelt_poser_make(hero, NULL, NULL, &poser) == PELT_OK);
    CHECK(pelt_poser_set_handles(poser, handles) == PELT_OK);
    CHECK(pelt_poser_step(poser, 1, &before) == PELT_OK);
    CHECK(pelt_poser_step(poser, 100, &after) == PELT_OK);
    CHECK(after <= before);
    CHECK(pelt_poser_set_handles(poser, "[{\"joint\": \"nobody\", \"constraint\": \"hold\"}]") == PELT_BAD_INPUT);
    pelt_poser_free(poser);
}

int main(void) {
    pelt_character* hero = NULL;
    CHECK(pelt_sample("bar", "{\"resolution\": 1000, \"skin\": \"smooth\"}", &hero) == PELT_OK);
    if (!hero) return 1;
    CHECK(pelt_joint_count(hero) == 2 && strcmp(pelt_joint_name(hero, 1), "joint1") == 0);
    CHECK(pelt_joint_parent(hero, 0) == -1 && pelt_joint_parent(hero, 1) == 0);
    deforms(hero);
    makes(hero);
    poses(hero);
    char* report = NULL;
    CHECK(pelt_info(hero, NULL, &report) == PELT_OK);
    CHECK(report && strstr(report, "\"bones\":2") != NULL);
    pelt_free(report);
    pelt_character_free(hero);
    CHECK(pelt_load("no-such-file.glb", NULL, &hero) == PELT_BAD_INPUT);
    CHECK(strstr(pelt_error_message(), "no-such-file.glb") != NULL);
    return failures != 0;
}
