/* Pelt's C interface: what a program in any language needs to load, deform, make and save character skin.
 *
 * Conventions
 * - Every call that can fail returns a pelt_status; pelt_error_message() then has one sentence, per thread.
 * - Handles are opaque and immutable: verbs return new characters. One handle may be read from any number of threads at
 *   once; a deformer or a poser serves one thread at a time.
 * - Arrays are given by pointer and count and are borrowed during the call. Views returned by a handle stay valid until
 *   the handle is freed. What a call allocates for the caller (reports, bytes) is freed by pelt_free.
 * - Positions are three floats per vertex. Matrices are 16 floats, by columns, and take rest space to posed space.
 * - Joints are counted as `pelt info` lists them. Vertices are those of the skinned mesh, then those of the props.
 * - `options` are a JSON object with the options of the verb as pelt_verbs() has them ("extra_weights": 15), or NULL.
 * An input of the verb may be given there too: as a path, or as the object itself where the program takes a JSON file
 *   (handles, limits).
 * - Reports are the JSON object that the program prints with --json.
 */
#ifndef PELT_PELT_H
#define PELT_PELT_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define PELT_API __declspec(dllexport)
#elif defined(__GNUC__)
#define PELT_API __attribute__((visibility("default")))
#else
#define PELT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The exit status of the program for the same outcome. */
typedef enum pelt_status {
    PELT_OK = 0,
    PELT_SYSTEM = 1,     /* disk full, no memory, no permission */
    PELT_BAD_USAGE = 2,  /* a call or an option that makes no sense whatever the data */
    PELT_BAD_INPUT = 3,  /* a file or data that is unreadable, malformed or inconsistent */
    PELT_GATE = 4,       /* a quality gate that was asked for is missed */
    PELT_CANCELLED = 130 /* the progress callback asked to stop */
} pelt_status;

typedef struct pelt_character pelt_character;
typedef struct pelt_deformer pelt_deformer;
typedef struct pelt_poser pelt_poser;

/* Told the stage and the fraction done, 0 to 1; returns 0 to cancel. May be called from another thread, but never from
   two at once. */
typedef int (*pelt_progress)(void* user, const char* stage, double fraction);

/* How a long call runs. Zero everything but `size` for the defaults; NULL in place of the struct does the same. */
typedef struct pelt_call {
    size_t size; /* sizeof(pelt_call): lets the struct grow */
    pelt_progress progress;
    void* user;
    int threads; /* 0: all */
} pelt_call;

/* "0.2.0" */
PELT_API const char* pelt_version(void);
/* The sentence of this thread's last call that failed; "" if none has. Valid until the thread's next call. */
PELT_API const char* pelt_error_message(void);
/* Frees a report or bytes. NULL is fine. */
PELT_API void pelt_free(void* memory);

/* ---- Characters ---- */

/* .glb .gltf .vrm; .fbx .dae by the program pelt-import. */
PELT_API pelt_status pelt_load(const char* path, const pelt_call* call, pelt_character** character);
/* A .glb, a .gltf without external files, or an .fbx. `name` is how messages call it; NULL: "character.glb". */
PELT_API pelt_status pelt_load_bytes(const void* bytes, size_t size, const char* name, const pelt_call* call,
                                     pelt_character** character);

/* A character from arrays alone. */
typedef struct pelt_arrays {
    size_t size; /* sizeof(pelt_arrays) */
    const float* positions;
    size_t vertex_count;
    const uint32_t* triangles; /* three per triangle */
    size_t triangle_count;
    const char* const* joint_names;
    const int32_t* joint_parents; /* an earlier joint, or -1 */
    const float* joint_binds;     /* 16 per joint, by columns: the joint's world matrix at bind */
    size_t joint_count;
    /* Weights as compressed rows: those of vertex v are weight_offsets[v] .. weight_offsets[v + 1]. All NULL: none. */
    const uint64_t* weight_offsets; /* vertex_count + 1 */
    const uint32_t* weight_joints;
    const float* weight_values;
} pelt_arrays;
PELT_API pelt_status pelt_make(const pelt_arrays* arrays, pelt_character** character);

/* The same character with one more attribute, such as a map for "lambda_map": "_SOFTNESS". A name begins
   with an underscore; `values` has a number per vertex, pelt_vertex_count(character) of them. */
PELT_API pelt_status pelt_with_attribute(const pelt_character* character, const char* name, const float* values,
                                         pelt_character** result);
/* The same character with the clips of another file before its own, as --clips. */
PELT_API pelt_status pelt_with_clips(const pelt_character* character, const char* path, const pelt_call* call,
                                     pelt_character** result);

/* The names of the built-in characters: a JSON list. */
PELT_API pelt_status pelt_samples(char** names);
/* One of the built-in characters, as `pelt sample`. */
PELT_API pelt_status pelt_sample(const char* name, const char* options, pelt_character** character);

PELT_API void pelt_character_free(pelt_character* character);

/* .glb, .gltf, .vrm or .fbx. */
PELT_API pelt_status pelt_save(const pelt_character* character, const char* path);
/* The same as the bytes of a .glb. */
PELT_API pelt_status pelt_save_bytes(const pelt_character* character, uint8_t** bytes, size_t* size);
/* As the bytes of an .fbx, with y up or z up. FBX cannot store the data of Direct Delta Mush. */
PELT_API pelt_status pelt_save_fbx(const pelt_character* character, int z_up, uint8_t** bytes, size_t* size);

PELT_API size_t pelt_vertex_count(const pelt_character* character);
PELT_API size_t pelt_triangle_count(const pelt_character* character);
PELT_API const float* pelt_positions(const pelt_character* character);
PELT_API const uint32_t* pelt_triangles(const pelt_character* character);

PELT_API size_t pelt_joint_count(const pelt_character* character);
PELT_API const char* pelt_joint_name(const pelt_character* character, size_t joint);
PELT_API int32_t pelt_joint_parent(const pelt_character* character, size_t joint);
/* `matrices` gets 16 floats per joint: its world matrix at bind, as in pelt_arrays. */
PELT_API pelt_status pelt_joint_binds(const pelt_character* character, float* matrices);

/* Weights as compressed rows, as in pelt_arrays. A character without weights has rows without entries. */
PELT_API const uint64_t* pelt_weight_offsets(const pelt_character* character);
PELT_API const uint32_t* pelt_weight_joints(const pelt_character* character);
PELT_API const float* pelt_weight_values(const pelt_character* character);

PELT_API size_t pelt_clip_count(const pelt_character* character);
PELT_API const char* pelt_clip_name(const pelt_character* character, size_t clip);
PELT_API double pelt_clip_start(const pelt_character* character, size_t clip); /* the first key, in seconds */
PELT_API double pelt_clip_seconds(const pelt_character* character, size_t clip);

/* The moments at which the program samples a clip: a JSON list of seconds, from the first key on. */
PELT_API pelt_status pelt_clip_times(const pelt_character* character, const char* clip, double fps, char** times);

/* `matrices` gets 16 floats per joint. `clip` is a name, an index as text or "@range"; NULL: the nodes' rest pose. */
PELT_API pelt_status pelt_skin_matrices(const pelt_character* character, const char* clip, double seconds,
                                        float* matrices);
/* The same for `count` moments, one after the other. */
PELT_API pelt_status pelt_skin_matrices_at(const pelt_character* character, const char* clip, const double* seconds,
                                           size_t count, float* matrices);
/* The rest positions with the clip's morph targets added, for pelt_deformer_set_rest. */
PELT_API pelt_status pelt_morphed_positions(const pelt_character* character, const char* clip, double seconds,
                                            float* positions);

/* ---- Deformers ---- */

/* Any method of `pelt deform`, with the options of that verb that concern the method. A character without joints has
 * its morph targets alone, whatever the method. The character must stay alive. It keeps what Direct Delta Mush
 * smoothed, so that the next deformer with another kappa or alpha is ready quickly. */
PELT_API pelt_status pelt_deformer_make(const pelt_character* character, const char* method, const char* options,
                                        const pelt_call* call, pelt_deformer** deformer);
PELT_API void pelt_deformer_free(pelt_deformer* deformer);
/* What was prepared, as bytes, so that another process or thread of the same character need not prepare it again. Bytes
   of another version of Pelt are refused. The iterative Delta Mush has none (PELT_BAD_USAGE). */
PELT_API pelt_status pelt_deformer_save(const pelt_deformer* deformer, uint8_t** bytes, size_t* size);
PELT_API pelt_status pelt_deformer_load(const pelt_character* character, const void* bytes, size_t size,
                                        pelt_deformer** deformer);
/* Rest positions that are posed from now on in place of the character's own, such as a morphed shape. They are copied;
   NULL: the character's own again. Normals are then those of the new shape. */
PELT_API pelt_status pelt_deformer_set_rest(pelt_deformer* deformer, const float* positions);
/* Poses every vertex on the calling thread, into the caller's arrays; `normals` may be NULL. Allocates nothing. */
PELT_API pelt_status pelt_deformer_evaluate(pelt_deformer* deformer, const float* matrices, float* positions,
                                            float* normals);
/* What `pelt deform` writes at a moment of a clip: joints, morph targets, and props that move with other nodes than
   joints; pelt_deformer_set_rest is ignored. `clip` as for pelt_skin_matrices. */
PELT_API pelt_status pelt_deformer_evaluate_at(pelt_deformer* deformer, const char* clip, double seconds,
                                               float* positions, float* normals);
/* The same as pelt_deformer_evaluate for `frame_count` poses, one after the other in all three arrays, on
 * `call->threads` threads. */
PELT_API pelt_status pelt_deformer_evaluate_frames(pelt_deformer* deformer, const float* matrices, size_t frame_count,
                                                   float* positions, float* normals, const pelt_call* call);

/* ---- Posing by handles ---- */

/* Options of `pelt pose` that concern a pose: energy, clusters, extra_weights, extra_kind, clip and at (the pose to
 * start from), free, keep_lengths, limits, fps. With keep_lengths or limits, joints are rigid and the pose is the one
 * that `pelt pose` finds; otherwise, or with free, they may stretch, and a step continues from the last pose: after the
 * first handles it is that of `pelt pose --free`. A character without joints, a mesh alone, has free poses of points,
 * regions and segments. The character must stay alive. */
PELT_API pelt_status pelt_poser_make(const pelt_character* character, const char* options, const pelt_call* call,
                                     pelt_poser** poser);
PELT_API void pelt_poser_free(pelt_poser* poser);
/* The list of handles, or the whole object of a handles file. Setting the same handles with other targets is cheap, and
   so are other constraints. */
PELT_API pelt_status pelt_poser_set_handles(pelt_poser* poser, const char* handles);
/* Handles of a mesh without joints that will be set: starts to prepare for their places on another thread, while those
   that were set stay draggable. pelt_poser_set_handles then takes milliseconds, once pelt_poser_prepared is 1 (from 0
   to 1; it waits otherwise). NULL: ends the preparation. */
PELT_API pelt_status pelt_poser_prepare(pelt_poser* poser, const char* handles);
PELT_API double pelt_poser_prepared(const pelt_poser* poser);
/* Drags one of these handles, counted as in that list, in microseconds and without an allocation: its target, its
   rotation in degrees about x, y, z, or its transform (16 numbers by columns), whichever it was given. */
PELT_API pelt_status pelt_poser_set_target(pelt_poser* poser, size_t handle, const double* xyz);
PELT_API pelt_status pelt_poser_set_rotation(pelt_poser* poser, size_t handle, const double* degrees);
PELT_API pelt_status pelt_poser_set_transform(pelt_poser* poser, size_t handle, const double* matrix);
/* Goes on by at most so many iterations; *energy (may be NULL) gets the energy after them. Rigid joints are solved to
   the end; *energy is then the largest distance of a handle from its target. */
PELT_API pelt_status pelt_poser_step(pelt_poser* poser, int iterations, double* energy);
/* The energies after each iteration of the last step; returns their number (0 for rigid joints). The view is valid
   until the next step. */
PELT_API size_t pelt_poser_energies(const pelt_poser* poser, const double** energies);
/* 16 floats per joint. */
PELT_API void pelt_poser_matrices(const pelt_poser* poser, float* matrices);
/* All transforms of a free pose, 16 floats each, by columns, from where it starts to the pose: those of the joints of
   all skins (of a mesh without joints: of its handles), then those of the extra weights, which are added. Returns their
   number (0 for rigid joints). The view is valid until handles are set again. */
PELT_API size_t pelt_poser_transforms(const pelt_poser* poser, const float** matrices);
/* What is seen: `xyz` gets the positions of all vertices in this pose, extra weights included. */
PELT_API pelt_status pelt_poser_positions(pelt_poser* poser, float* xyz);
/* The character with the clip that `pelt pose` makes of these handles as its first; only with rigid joints. */
PELT_API pelt_status pelt_poser_clip(pelt_poser* poser, const pelt_call* call, pelt_character** result);

/* ---- Verbs: what `pelt VERB` does ---- */

/* The table of verbs as JSON, with their inputs, options and outputs: what `pelt verbs --json` prints of those that are
   everywhere. Valid for ever. */
PELT_API const char* pelt_verbs(void);

/* An input, under its name in the table: a character, positions frame by frame (`triangles` if it matters), or a file.
   What is not given is null or 0. With positions, `path` may be a name for them in messages and clips. A picture in
   memory is a `path` too: "data:image/png;base64,…", or "data:image/png;name=hero.png;base64,…". */
typedef struct pelt_input {
    const char* name;
    const pelt_character* character;
    const char* path;
    const float* frames;
    size_t frame_count, vertex_count;
    const uint32_t* triangles; /* three per triangle */
    size_t triangle_count;
} pelt_input;

/* An option, under its name in the table: a number where `text` is null; a flag's number is 1. One that takes several
 * values may be given several times. Also: an input that is a path or JSON; an output beside the main one (1: make it);
 * "output", where the main one has several kinds (its kind); "threads" (0: all). */
typedef struct pelt_option {
    const char* name;
    const char* text;
    double number;
} pelt_option;

typedef struct pelt_result pelt_result;

/* Runs any verb. `progress` may be NULL. With PELT_GATE there is a result all the same. */
PELT_API pelt_status pelt_run(const char* verb, const pelt_input* inputs, size_t count, const pelt_option* options,
                              size_t n, pelt_progress progress, void* user, pelt_result** out);
/* The character that was made, which is yours from now on: pelt_character_free. Each call gives the next one where
   there are several (levels of detail); NULL: there are no more. */
PELT_API pelt_character* pelt_result_character(pelt_result* result);
/* The positions that were made, three floats per vertex, frame by frame; NULL: none. */
PELT_API const float* pelt_result_frames(const pelt_result* result, size_t* frame_count, size_t* vertex_count);
/* The same of an output beside the main one, such as "normals". */
PELT_API const float* pelt_result_frames_of(const pelt_result* result, const char* output, size_t* frame_count,
                                            size_t* vertex_count);
/* The bytes that were made (pack); NULL: none. */
PELT_API const uint8_t* pelt_result_bytes(const pelt_result* result, size_t* size);
PELT_API const char* pelt_result_report(const pelt_result* result);
PELT_API void pelt_result_free(pelt_result* result);

/* ---- Single verbs. `report` may be NULL. ---- */

PELT_API pelt_status pelt_info(const pelt_character* character, const char* options, char** report);
PELT_API pelt_status pelt_mush(const pelt_character* character, const char* options, const pelt_call* call,
                               pelt_character** result, char** report);
PELT_API pelt_status pelt_bind(const pelt_character* character, const char* options, const pelt_call* call,
                               pelt_character** result, char** report);
PELT_API pelt_status pelt_bake(const pelt_character* character, const char* options, const pelt_call* call,
                               pelt_character** result, char** report);
/* The mesh of `to` with the skin of `from`; a bare mesh gets its skeleton and clips too. */
PELT_API pelt_status pelt_transfer(const pelt_character* from, const pelt_character* to, const char* options,
                                   const pelt_call* call, pelt_character** result, char** report);
PELT_API pelt_status pelt_clean(const pelt_character* character, const char* options, const pelt_call* call,
                                pelt_character** result, char** report);
PELT_API pelt_status pelt_limit(const pelt_character* character, const char* options, const pelt_call* call,
                                pelt_character** result, char** report);
PELT_API pelt_status pelt_mirror(const pelt_character* character, const char* options, const pelt_call* call,
                                 pelt_character** result, char** report);
/* Bakes a sequence that was deformed already: one shape for each sample of the clip. */
PELT_API pelt_status pelt_bake_frames(const pelt_character* character, const float* frames, size_t frame_count,
                                      const char* options, const pelt_call* call, pelt_character** result,
                                      char** report);
/* The bytes of a .peltrig, for engines that link pelt::runtime. `method` may be NULL: ddm for a mushed or fitted one,
   else lbs. */
PELT_API pelt_status pelt_pack(const pelt_character* character, const char* method, const char* options,
                               const pelt_call* call, uint8_t** bytes, size_t* size);
/* Examples: frame_count * pelt_vertex_count(character) positions. */
PELT_API pelt_status pelt_fit(const pelt_character* character, const float* examples, size_t frame_count,
                              const char* options, const pelt_call* call, pelt_character** result, char** report);
PELT_API pelt_status pelt_pose(const pelt_character* character, const char* handles, const char* options,
                               const pelt_call* call, pelt_character** result, char** report);
/* `rest` may be NULL: the first frame. */
PELT_API pelt_status pelt_decompose(const float* frames, size_t frame_count, size_t vertex_count, const float* rest,
                                    const uint32_t* triangles, size_t triangle_count, const char* options,
                                    const pelt_call* call, pelt_character** result, char** report);
PELT_API pelt_status pelt_compare(const float* a, const float* b, size_t frame_count, size_t vertex_count,
                                  const float* rest, char** report);

#ifdef __cplusplus
}
#endif

#endif
