/* Any verb by one call: the table, inputs, options, results, faults. Ends with 0 if all holds. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int same_bytes(const pelt_character* a, const pelt_character* b) {
    uint8_t *left = NULL, *right = NULL;
    size_t left_size = 0, right_size = 0;
    const int saved = pelt_save_bytes(a, &left, &left_size) == PELT_OK &&
                      pelt_save_bytes(b, &right, &right_size) == PELT_OK && left_size == right_size;
    const int same = saved && memcmp(left, right, left_size) == 0;
    pelt_free(left);
    pelt_free(right);
    return same;
}

static int stops(void* user, const char* stage, double fraction) {
    ++*(int*)user;
    return stage == NULL || fraction > 2;
}

/* Every verb of the library is in the table, and whatever a verb is said to take has a name. */
static void table(void) {
    const char* verbs = pelt_verbs();
    const char* names[] = {"info", "sample", "bind", "transfer", "lod", "mush", "deform", "bake",
                           "clean", "limit", "mirror", "pack", "fit", "decompose", "pose", "compare"};
    char words[64];
    CHECK(verbs != NULL && verbs[0] == '{' && verbs == pelt_verbs());
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        snprintf(words, sizeof words, "\"name\": \"%s\"", names[i]);
        CHECK(strstr(verbs, words) != NULL);
    }
    CHECK(strstr(verbs, "\"name\": \"kappa\"") != NULL && strstr(verbs, "\"above_min\"") != NULL);
}

/* The same characters and reports as the calls for single verbs. */
static void as_single_calls(const pelt_character* hero) {
    pelt_character *single = NULL, *made = NULL;
    pelt_result* result = NULL;
    const pelt_input input = {.name = "character", .character = hero};
    const pelt_option options[] = {{"kappa", NULL, 0.5}, {"variant", "v2", 0}, {"threads", NULL, 1}};
    CHECK(pelt_mush(hero, "{\"kappa\": 0.5, \"variant\": \"v2\"}", NULL, &single, NULL) == PELT_OK);
    CHECK(pelt_run("mush", &input, 1, options, 3, NULL, NULL, &result) == PELT_OK && result != NULL);
    made = pelt_result_character(result);
    CHECK(made != NULL && same_bytes(made, single) && pelt_result_character(result) == NULL);
    CHECK(strstr(pelt_result_report(result), "\"verb\":\"mush\"") != NULL);
    CHECK(strstr(pelt_result_report(result), "\"stages\"") != NULL);
    CHECK(pelt_result_frames(result, NULL, NULL) == NULL && pelt_result_bytes(result, NULL) == NULL);
    pelt_result_free(result); /* the character is no longer part of it */
    CHECK(pelt_vertex_count(made) == pelt_vertex_count(hero));
    pelt_character_free(made);
    pelt_character_free(single);
}

static void bytes_and_levels(const pelt_character* hero) {
    pelt_result* result = NULL;
    const pelt_input input = {.name = "character", .character = hero};
    const pelt_option method = {"method", "dqs", 0}, ratios[] = {{"ratios", NULL, 0.5}, {"ratios", NULL, 0.25}};
    uint8_t* packed = NULL;
    size_t size = 0, again = 0;
    CHECK(pelt_pack(hero, "dqs", NULL, NULL, &packed, &size) == PELT_OK);
    CHECK(pelt_run("pack", &input, 1, &method, 1, NULL, NULL, &result) == PELT_OK);
    const uint8_t* bytes = pelt_result_bytes(result, &again);
    CHECK(bytes != NULL && again == size && memcmp(bytes, packed, size) == 0);
    pelt_free(packed);
    pelt_result_free(result);
    CHECK(pelt_run("lod", &input, 1, ratios, 2, NULL, NULL, &result) == PELT_OK);
    size_t before = pelt_vertex_count(hero);
    for (int level = 0; level < 2; ++level) {
        pelt_character* coarser = pelt_result_character(result);
        CHECK(coarser != NULL && pelt_vertex_count(coarser) < before);
        before = coarser ? pelt_vertex_count(coarser) : 0;
        pelt_character_free(coarser);
    }
    CHECK(pelt_result_character(result) == NULL);
    pelt_result_free(result);
}

/* A sequence that a verb makes is the input of another one. */
static void frames(const pelt_character* hero) {
    pelt_result *deformed = NULL, *found = NULL;
    const pelt_input input = {.name = "character", .character = hero};
    const pelt_option options[] = {{"fps", NULL, 5}, {"normals", NULL, 1}};
    CHECK(pelt_run("deform", &input, 1, options, 2, NULL, NULL, &deformed) == PELT_OK);
    size_t count = 0, vertices = 0, others = 0;
    const float* positions = pelt_result_frames(deformed, &count, &vertices);
    const float* normals = pelt_result_frames_of(deformed, "normals", &others, NULL);
    CHECK(positions != NULL && count > 1 && vertices == pelt_vertex_count(hero));
    CHECK(normals != NULL && others == count && pelt_result_frames_of(deformed, "tangents", NULL, NULL) == NULL);
    CHECK(normals && normals[0] * normals[0] + normals[1] * normals[1] + normals[2] * normals[2] > 0.999F);
    const pelt_input sequence[] = {{.name = "sequence",
                                    .path = "swing",
                                    .frames = positions,
                                    .frame_count = count,
                                    .vertex_count = vertices,
                                    .triangles = pelt_triangles(hero),
                                    .triangle_count = pelt_triangle_count(hero)}};
    const pelt_option bones = {"bones", NULL, 3};
    CHECK(pelt_run("decompose", sequence, 1, &bones, 1, NULL, NULL, &found) == PELT_OK);
    pelt_character* made = pelt_result_character(found);
    CHECK(made != NULL && pelt_joint_count(made) >= 3 && strcmp(pelt_clip_name(made, 0), "swing") == 0);
    pelt_character_free(made);
    pelt_result_free(found);
    pelt_result_free(deformed);
}

/* Inputs that are JSON, and a gate that is missed. */
static void json_and_gate(const pelt_character* hero) {
    pelt_result* result = NULL;
    const pelt_input input = {.name = "character", .character = hero};
    const pelt_option limits[] = {{"limits", "{\"default\": {\"bend\": 30}}", 0}, {"influences", NULL, 2}};
    const pelt_option wrong = {"limits", "{\"nobody\": 1}", 0};
    const pelt_option gate[] = {{"influences", NULL, 1}, {"max_error", NULL, 0}};
    CHECK(pelt_run("bake", &input, 1, limits, 2, NULL, NULL, &result) == PELT_OK);
    pelt_result_free(result);
    CHECK(pelt_run("bake", &input, 1, &wrong, 1, NULL, NULL, &result) == PELT_BAD_INPUT);
    CHECK(strstr(pelt_error_message(), "nobody") != NULL);
    result = NULL;
    CHECK(pelt_run("bake", &input, 1, gate, 2, NULL, NULL, &result) == PELT_GATE && result != NULL);
    pelt_character* made = pelt_result_character(result);
    CHECK(made != NULL && strstr(pelt_result_report(result), "\"verb\":\"bake\"") != NULL);
    pelt_character_free(made);
    pelt_result_free(result);
}

static void faults(const pelt_character* hero) {
    pelt_result* result = NULL;
    const pelt_input input = {.name = "character", .character = hero}, other = {.name = "figure", .character = hero};
    const pelt_input empty = {.name = "character"};
    const pelt_option unknown = {"kapa", NULL, 1}, text = {"kappa", "much", 0};
    CHECK(pelt_run("mash", &input, 1, NULL, 0, NULL, NULL, &result) == PELT_BAD_USAGE);
    CHECK(strstr(pelt_error_message(), "did you mean 'mush'") != NULL);
    CHECK(pelt_run("mush", &input, 1, &unknown, 1, NULL, NULL, &result) == PELT_BAD_USAGE);
    CHECK(strstr(pelt_error_message(), "did you mean 'kappa'") != NULL);
    CHECK(pelt_run("mush", &input, 1, &text, 1, NULL, NULL, &result) == PELT_BAD_USAGE);
    CHECK(strstr(pelt_error_message(), "kappa is 'much'") != NULL);
    CHECK(pelt_run("mush", &other, 1, NULL, 0, NULL, NULL, &result) == PELT_BAD_USAGE);
    CHECK(strstr(pelt_error_message(), "figure") != NULL);
    CHECK(pelt_run("mush", NULL, 0, NULL, 0, NULL, NULL, &result) == PELT_BAD_USAGE);
    CHECK(pelt_run("mush", &empty, 1, NULL, 0, NULL, NULL, &result) == PELT_BAD_USAGE);
    CHECK(pelt_run(NULL, &input, 1, NULL, 0, NULL, NULL, &result) == PELT_BAD_USAGE);
    int told = 0;
    CHECK(pelt_run("mush", &input, 1, NULL, 0, stops, &told, &result) == PELT_CANCELLED && told == 1);
    CHECK(result == NULL);
}

/* The largest difference of two arrays. */
static float apart(const float* a, const float* b, size_t count) {
    float most = 0;
    for (size_t i = 0; i < count; ++i) {
        const float d = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
        if (!(d <= most)) most = d;
    }
    return most;
}

/* What a poser shows is its joints' pose by linear blend skinning. */
static void poser_positions(const pelt_character* hero) {
    const size_t size = 12 * pelt_vertex_count(hero);
    float *matrices = malloc(64 * pelt_joint_count(hero)), *seen = malloc(size), *posed = malloc(size);
    pelt_poser* poser = NULL;
    pelt_deformer* lbs = NULL;
    CHECK(pelt_poser_make(hero, "{\"energy\": \"spokes\", \"clusters\": 4}", NULL, &poser) == PELT_OK);
    CHECK(pelt_poser_set_handles(poser,
                                 "[{\"joint\": \"joint0\", \"constraint\": \"hold\"},"
                                 " {\"joint\": \"joint2\", \"constraint\": \"position\", \"offset\": [0.1, 0, 0]}]") ==
          PELT_OK);
    CHECK(pelt_poser_step(poser, 10, NULL) == PELT_OK && pelt_poser_positions(poser, seen) == PELT_OK);
    pelt_poser_matrices(poser, matrices);
    CHECK(pelt_deformer_make(hero, "lbs", NULL, NULL, &lbs) == PELT_OK);
    CHECK(pelt_deformer_evaluate(lbs, matrices, posed, NULL) == PELT_OK && apart(seen, posed, size / 4) < 1e-5f);
    pelt_deformer_free(lbs);
    pelt_poser_free(poser);
    poser = NULL;
    CHECK(pelt_poser_make(hero, "{\"energie\": \"spokes\"}", NULL, &poser) == PELT_BAD_USAGE && poser == NULL);
    CHECK(strstr(pelt_error_message(), "energy") != NULL);
    CHECK(pelt_poser_make(hero, "{\"clusters\": -1}", NULL, &poser) == PELT_BAD_USAGE && poser == NULL);
    free(matrices);
    free(seen);
    free(posed);
}

int main(void) {
    pelt_character* hero = NULL;
    CHECK(pelt_sample("bar3", "{\"resolution\": 400, \"skin\": \"smooth\"}", &hero) == PELT_OK);
    if (!hero) return 1;
    table();
    as_single_calls(hero);
    bytes_and_levels(hero);
    frames(hero);
    json_and_gate(hero);
    faults(hero);
    poser_positions(hero);
    pelt_character_free(hero);
    return failures != 0;
}
