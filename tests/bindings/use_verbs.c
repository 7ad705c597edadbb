/* Every verb of the program but render and studio, from C99. Ends with 0 if all holds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { kFrames = 12 };

/* A report that names the verb; freed. */
static int reports(char* report, const char* verb) {
    char words[64];
    snprintf(words, sizeof words, "\"verb\":\"%s\"", verb);
    const int holds = report != NULL && strstr(report, words) != NULL;
    pelt_free(report);
    return holds;
}

/* kFrames shapes of the first clip, 10 a second. */
static float* deformed(const pelt_character* hero, const char* method) {
    const size_t vertices = pelt_vertex_count(hero), joints = pelt_joint_count(hero);
    float* matrices = malloc(64 * joints * kFrames);
    float* positions = malloc(12 * vertices * kFrames);
    double seconds[kFrames];
    for (int f = 0; f < kFrames; ++f) seconds[f] = pelt_clip_start(hero, 0) + 0.1 * f;
    pelt_deformer* deformer = NULL;
    CHECK(pelt_skin_matrices_at(hero, "0", seconds, kFrames, matrices) == PELT_OK);
    CHECK(pelt_deformer_make(hero, method, NULL, NULL, &deformer) == PELT_OK);
    CHECK(pelt_deformer_evaluate_frames(deformer, matrices, kFrames, positions, NULL, NULL) == PELT_OK);
    pelt_deformer_free(deformer);
    free(matrices);
    return positions;
}

static void deform_compare(const pelt_character* hero) {
    const size_t vertices = pelt_vertex_count(hero);
    float *lbs = deformed(hero, "lbs"), *dqs = deformed(hero, "dqs");
    char* report = NULL;
    CHECK(pelt_compare(lbs, lbs, kFrames, vertices, pelt_positions(hero), &report) == PELT_OK);
    CHECK(report && strstr(report, "12,\"rms\":0.0,") != NULL);
    pelt_free(report);
    report = NULL;
    CHECK(pelt_compare(lbs, dqs, kFrames, vertices, NULL, &report) == PELT_OK);
    CHECK(report && strstr(report, "12,\"rms\":0.0,") == NULL);
    pelt_free(report);
    free(lbs);
    free(dqs);
}

static void bind_mush_bake_pack(const pelt_character* hero) {
    pelt_character *made = NULL, *baked = NULL;
    char* report = NULL;
    CHECK(pelt_bind(hero, "{\"method\": \"rigid\"}", NULL, &made, &report) == PELT_OK && reports(report, "bind"));
    CHECK(pelt_weight_offsets(made)[pelt_vertex_count(made)] == pelt_vertex_count(made)); /* one joint a vertex */
    pelt_character* same = NULL; /* the skin of a character on itself, from another bind */
    CHECK(pelt_transfer(hero, made, NULL, NULL, &same, &report) == PELT_OK && reports(report, "transfer"));
    CHECK(pelt_weight_offsets(same)[pelt_vertex_count(same)] == pelt_weight_offsets(hero)[pelt_vertex_count(hero)]);
    pelt_character_free(same);
    pelt_character_free(made);
    CHECK(pelt_mush(hero, NULL, NULL, &made, &report) == PELT_OK && reports(report, "mush"));
    CHECK(pelt_bake(made, "{\"influences\": 2}", NULL, &baked, &report) == PELT_OK && reports(report, "bake"));
    pelt_character_free(baked);
    baked = NULL; /* a gate that is missed says so, and gives the character */
    CHECK(pelt_bake(made, "{\"influences\": 1, \"max_error\": 0}", NULL, &baked, &report) == PELT_GATE);
    CHECK(baked != NULL && reports(report, "bake"));
    pelt_character_free(baked);
    uint8_t* bytes = NULL;
    size_t size = 0;
    CHECK(pelt_pack(made, NULL, NULL, NULL, &bytes, &size) == PELT_OK && size > 1000);
    pelt_free(bytes);
    CHECK(pelt_pack(made, "dm", NULL, NULL, &bytes, &size) == PELT_BAD_USAGE);
    pelt_character_free(made);
}

static void virtual_joints(const pelt_character* hero) {
    pelt_character *baked = NULL, *none = NULL;
    char* report = NULL;
    CHECK(pelt_bake(hero, "{\"fps\": 5, \"virtual\": 8}", NULL, &baked, &report) == PELT_OK && reports(report, "bake"));
    CHECK(pelt_joint_count(baked) > pelt_joint_count(hero));
    CHECK(pelt_bake(hero, "{\"virtual\": 100000}", NULL, &none, NULL) != PELT_OK && none == NULL);
    CHECK(pelt_bake(hero, "{\"virtual\": 2, \"helpers\": 1}", NULL, &none, NULL) == PELT_BAD_USAGE && none == NULL);
    pelt_character_free(baked);
}

static void from_frames(const pelt_character* hero) {
    const size_t vertices = pelt_vertex_count(hero);
    pelt_character* made = NULL;
    char* report = NULL;
    float* frames = deformed(hero, "dqs");
    const char* sampled = "{\"fps\": 10, \"frames\": \"0:12\"}";
    CHECK(pelt_bake_frames(hero, frames, kFrames, sampled, NULL, &made, &report) == PELT_OK && reports(report, "bake"));
    pelt_character_free(made);
    CHECK(pelt_fit(hero, frames, kFrames, sampled, NULL, &made, &report) == PELT_OK && reports(report, "fit"));
    pelt_character_free(made);
    CHECK(pelt_decompose(frames, kFrames, vertices, pelt_positions(hero), pelt_triangles(hero),
                         pelt_triangle_count(hero), "{\"bones\": 3}", NULL, &made, &report) == PELT_OK &&
          reports(report, "decompose"));
    CHECK(pelt_joint_count(made) >= 3 && pelt_vertex_count(made) == vertices);
    pelt_character_free(made);
    made = NULL;
    CHECK(pelt_fit(hero, frames, 3, sampled, NULL, &made, NULL) == PELT_BAD_INPUT && made == NULL);
    free(frames);
}

static void pose_and_maps(const pelt_character* hero) {
    const size_t vertices = pelt_vertex_count(hero);
    pelt_character *made = NULL, *mapped = NULL;
    char* report = NULL;
    const char* handles =
        "[{\"joint\": \"joint0\", \"constraint\": \"hold\"},"
        " {\"joint\": \"joint2\", \"constraint\": \"position\", \"offset\": [0.1, 0, 0]}]";
    CHECK(pelt_pose(hero, handles, NULL, NULL, &made, &report) == PELT_OK && reports(report, "pose"));
    pelt_character_free(made);
    float* softness = malloc(4 * vertices);
    for (size_t v = 0; v < vertices; ++v) softness[v] = 1;
    CHECK(pelt_with_attribute(hero, "_SOFTNESS", softness, &mapped) == PELT_OK);
    CHECK(pelt_mush(mapped, "{\"lambda_map\": \"_SOFTNESS\"}", NULL, &made, NULL) == PELT_OK);
    pelt_character_free(made);
    CHECK(pelt_with_attribute(hero, "softness", softness, &made) == PELT_BAD_USAGE);
    softness[3] = NAN;
    CHECK(pelt_with_attribute(hero, "_SOFTNESS", softness, &made) == PELT_BAD_INPUT);
    CHECK(strstr(pelt_error_message(), "vertex 3") != NULL);
    pelt_character_free(mapped);
    free(softness);
}

/* Another rest shape moves the result as it moves the rest. */
static void other_rest(const pelt_character* hero) {
    const size_t vertices = pelt_vertex_count(hero);
    float* rest = malloc(12 * vertices);
    float* posed = malloc(12 * vertices);
    float* normals = malloc(12 * vertices);
    float* matrices = malloc(64 * pelt_joint_count(hero));
    pelt_deformer* lbs = NULL;
    CHECK(pelt_morphed_positions(hero, NULL, 0, rest) == PELT_OK);
    CHECK(memcmp(rest, pelt_positions(hero), 12 * vertices) == 0); /* it has no morph targets */
    for (size_t v = 0; v < vertices; ++v) rest[3 * v] += 1;
    CHECK(pelt_skin_matrices(hero, NULL, 0, matrices) == PELT_OK);
    CHECK(pelt_deformer_make(hero, "lbs", NULL, NULL, &lbs) == PELT_OK);
    CHECK(pelt_deformer_set_rest(lbs, rest) == PELT_OK);
    CHECK(pelt_deformer_evaluate(lbs, matrices, posed, normals) == PELT_OK);
    double farthest = 0;
    for (size_t i = 0; i < 3 * vertices; ++i) farthest = fmax(farthest, fabs(posed[i] - rest[i]));
    CHECK(farthest < 1e-5);
    rest[7] = NAN;
    CHECK(pelt_deformer_set_rest(lbs, rest) == PELT_BAD_INPUT);
    pelt_deformer_free(lbs);
    free(rest);
    free(posed);
    free(normals);
    free(matrices);
}

int main(void) {
    pelt_character* hero = NULL;
    char* names = NULL;
    CHECK(pelt_samples(&names) == PELT_OK && names && strstr(names, "\"bar3\"") != NULL);
    pelt_free(names);
    CHECK(pelt_sample("bar3", "{\"resolution\": 400, \"skin\": \"smooth\"}", &hero) == PELT_OK);
    if (!hero) return 1;
    float* binds = malloc(64 * pelt_joint_count(hero));
    CHECK(pelt_joint_binds(hero, binds) == PELT_OK && binds[15] == 1);
    free(binds);
    pelt_character* none = NULL;
    CHECK(pelt_with_clips(hero, "no-such.glb", NULL, &none) == PELT_BAD_INPUT && none == NULL);
    deform_compare(hero);
    bind_mush_bake_pack(hero);
    virtual_joints(hero);
    from_frames(hero);
    pose_and_maps(hero);
    other_rest(hero);
    pelt_character_free(hero);
    return failures != 0;
}
