/* Pelt's C interface: what a program in any language needs to load, deform, make and save character skin.
 *
 * Conventions
 * - Every call that can fail returns a pelt_status; pelt_error_message() then has one sentence, per thread.
 * - Handles are opaque and immutable: verbs return new characters. One handle may be read from any number of threads at
 *   once; a deformer or a poser serves one thread at a time.
 * - Arrays are given by pointer and count and are borrowed during the call. Views returned by a handle stay valid until
 *   the handle is freed. What a call allocates for the caller (reports, bytes) is freed by pelt_free.
 * - Positions are three floats a vertex. Matrices are 16 floats, by columns, and take rest space to posed space.
 * - Joints are counted as `pelt info` lists them. Vertices are those of the skinned mesh, then those of the props.
 * - `options` are a JSON object with the options of the program's verb, dashes as underscores ("extra_weights": 15), or
 *   NULL. Where the program takes a JSON file (handles, limits), the value is that object itself.
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

/* How a long call runs. Zero everything but `size` for the defaults; NULL in place of the struct does the same. */
typedef struct pelt_call {
    size_t size; /* sizeof(pelt_call): lets the struct grow */
    /* Told the stage and the fraction done, 0 to 1; returns 0 to cancel. May be called from another thread, but never
       from two at once. */
    int (*progress)(void* user, const char* stage, double fraction);
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

/* .glb .gltf .vrm; .fbx .dae where the importer is installed. */
PELT_API pelt_status pelt_load(const char* path, const pelt_call* call, pelt_character** character);
/* A .glb, or a .gltf without external files. `name` is how messages call it; NULL: "character.glb". */
PELT_API pelt_status pelt_load_bytes(const void* bytes, size_t size, const char* name, const pelt_call* call,
                                     pelt_character** character);

/* A character from arrays alone. */
typedef struct pelt_arrays {
    size_t size; /* sizeof(pelt_arrays) */
    const float* positions;
    size_t vertex_count;
    const uint32_t* triangles; /* three a triangle */
    size_t triangle_count;
    const char* const* joint_names;
    const int32_t* joint_parents; /* an earlier joint, or -1 */
    const float* joint_binds;     /* 16 a joint, by columns: the joint's world matrix at bind */
    size_t joint_count;
    /* Weights as compressed rows: those of vertex v are weight_offsets[v] .. weight_offsets[v + 1]. All NULL: none. */
    const uint64_t* weight_offsets; /* vertex_count + 1 */
    const uint32_t* weight_joints;
    const float* weight_values;
} pelt_arrays;
PELT_API pelt_status pelt_make(const pelt_arrays* arrays, pelt_character** character);

/* The same character with a number for each vertex more, such as a map for "lambda_map": "_SOFTNESS". A name begins
   with an underscore; `values` are pelt_vertex_count(character). */
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

/* .glb or .gltf. */
PELT_API pelt_status pelt_save(const pelt_character* character, const char* path);
/* The same as the bytes of a .glb. */
PELT_API pelt_status pelt_save_bytes(const pelt_character* character, uint8_t** bytes, size_t* size);

PELT_API size_t pelt_vertex_count(const pelt_character* character);
PELT_API size_t pelt_triangle_count(const pelt_character* character);
PELT_API const float* pelt_positions(const pelt_character* character);
PELT_API const uint32_t* pelt_triangles(const pelt_character* character);

PELT_API size_t pelt_joint_count(const pelt_character* character);
PELT_API const char* pelt_joint_name(const pelt_character* character, size_t joint);
PELT_API int32_t pelt_joint_parent(const pelt_character* character, size_t joint);
/* `matrices` gets 16 floats a joint: its world matrix at bind, as in pelt_arrays. */
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

/* `matrices` gets 16 floats a joint. `clip` is a name, an index as text or "@range"; NULL: the nodes' rest pose. */
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
/* What `pelt deform` writes at a moment of a clip: joints, morph targets, and props that move with nodes that are no
   joints; pelt_deformer_set_rest is ignored. `clip` as for pelt_skin_matrices. */
PELT_API pelt_status pelt_deformer_evaluate_at(pelt_deformer* deformer, const char* clip, double seconds,
                                               float* positions, float* normals);
/* The same as pelt_deformer_evaluate for `frame_count` poses, one after the other in all three arrays, on
 * `call->threads` threads. */
PELT_API pelt_status pelt_deformer_evaluate_frames(pelt_deformer* deformer, const float* matrices, size_t frame_count,
                                                   float* positions, float* normals, const pelt_call* call);

/* ---- Posing by handles ---- */

/* Options, as `pelt pose` has them: energy, clusters, extra_weights, extra_kind, clip and at (the pose to start from),
 * keep_lengths, limits, fps. With keep_lengths or limits, joints are rigid and the pose is the one that `pelt pose`
 * finds; otherwise they may stretch, and a step continues from the last pose. The character must stay alive. */
PELT_API pelt_status pelt_poser_make(const pelt_character* character, const char* options, const pelt_call* call,
                                     pelt_poser** poser);
PELT_API void pelt_poser_free(pelt_poser* poser);
/* The list of handles, or the whole object of a handles file. Setting the same handles with other targets is cheap. */
PELT_API pelt_status pelt_poser_set_handles(pelt_poser* poser, const char* handles);
/* Goes on by at most so many iterations; *energy (may be NULL) gets the energy after them. Rigid joints are solved to
   the end; *energy is then the largest distance of a handle from its target. */
PELT_API pelt_status pelt_poser_step(pelt_poser* poser, int iterations, double* energy);
PELT_API void pelt_poser_matrices(const pelt_poser* poser, float* matrices);
/* The character with the clip that `pelt pose` makes of these handles as its first; only with rigid joints. */
PELT_API pelt_status pelt_poser_clip(pelt_poser* poser, const pelt_call* call, pelt_character** result);

/* ---- Verbs: what `pelt VERB` does. `report` may be NULL. ---- */

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
/* The bytes of a .peltrig, for engines that link pelt::runtime. `method` may be NULL: ddm for a mushed character, else
   lbs. */
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
