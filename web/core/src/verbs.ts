// Written by tools/verb_types.mjs from the table of verbs: npm run types. Do not edit.
import type { Character } from "./character.js";
import type { CallOptions } from "./instance.js";
import type { Frames, Handle, Made, MadeFrames, MadeLevels, Reported, RestMesh } from "./types.js";

/** A character, or the bytes of one. */
export type CharacterInput = Character | Uint8Array;
export type MeshInput = RestMesh;

/** The deformers. */
export type MethodName =
  | "lbs"
  | "dqs"
  | "cor"
  | "dm"
  | "dm-tangent"
  | "ddm"
  | "ddm-v0"
  | "ddm-v1"
  | "ddm-v1-printed"
  | "ddm-v2"
  | "ddm-v3"
  | "ddm-v4"
  | "ddm-v5"
  | "ddm-v5-dqs"
  | "eddm";

/** The verbs of this package. */
export type VerbName =
  | "info"
  | "check"
  | "fix"
  | "sample"
  | "bind"
  | "transfer"
  | "lod"
  | "mush"
  | "deform"
  | "bake"
  | "clean"
  | "limit"
  | "mirror"
  | "pack"
  | "fit"
  | "decompose"
  | "pose"
  | "compare";
/** The verbs that make something. */
export type MakingVerb =
  | "check"
  | "fix"
  | "sample"
  | "bind"
  | "transfer"
  | "lod"
  | "mush"
  | "deform"
  | "bake"
  | "clean"
  | "limit"
  | "mirror"
  | "pack"
  | "fit"
  | "decompose"
  | "pose"
  | "compare";

/** What several verbs take. */
export interface DirectDeltaMushOptions {
  /** Number of smoothing steps (default: 10). */
  iterations?: number;
  /** Smoothing of rotations per step (default: from the thickness of the limbs). */
  lambda?: number;
  /** Smoothing of translations per step (default: from the thickness of the limbs). */
  kappa?: number;
  /** Number of smoothing steps of translations (default: as many as of rotations). */
  kappaIterations?: number;
  /** The weights that translations follow as far as alpha says: the bind, smoothed by kappa; the file's own weights; or a scalar vertex attribute, 0 for the bind and 1 for the file's weights (default: bind). */
  translations?: string | number;
  /** Edge weights of the Laplacian (default: cotangent). */
  laplacian?: "uniform" | "cotangent";
  /** Kind of smoothing step (default: implicit). */
  smoothing?: "implicit" | "explicit";
  /** Multiplies lambda at each vertex: uniform, radius (distance from the bone), or a scalar vertex attribute such as _LAMBDA. */
  lambdaMap?: string | number;
  /** The same for kappa. */
  kappaMap?: string | number;
  /** The same for alpha. */
  alphaMap?: string | number;
  /** Alpha of the skin around a joint, such as hips=0.2; may be repeated. */
  jointAlpha?: string | number | (string | number)[] | Record<string, number>;
  /** Smooth disconnected parts that lie side by side together (default: auto). */
  connectParts?: "auto" | "off" | boolean;
  /** A part or material that keeps its bind; may be repeated. */
  exclude?: string | number | (string | number)[];
  /** Start from each vertex's heaviest joint, or keep the weights (default: rigid). */
  bind?: "rigid" | "keep";
  /** Bind to these joints only, even if they look like controls. */
  joints?: string | string[];
  /** Bind to all joints but these. */
  excludeJoints?: string | string[];
}

/** What several verbs take. */
export interface ClipsAndFramesOptions {
  /** Samples per second, starting at the first key (default: 30). */
  fps?: number;
}

/** Options of `pelt info`. */
export interface InfoOptions extends CallOptions {
  /** Treat vertices within this distance as one (default: 0, equal positions). */
  weld?: number;
  /** Leave out props: meshes without a skin (hats, weapons) that are attached to nodes. */
  noProps?: boolean;
  /** A mesh that provides the faces of a sequence without faces. */
  mesh?: CharacterInput | MeshInput;
}

/** Options of `pelt check`. */
export interface CheckOptions extends CallOptions {
  /** Exit with status 4 if the score is below this. */
  minScore?: number;
  /** Exit with status 4 if there is a fault, or a warning. */
  failOn?: "fault" | "warning";
  /** An earlier report: only what is new counts for these. */
  baseline?: string;
  /** An engine: more influences or joints than it takes are a fault. */
  for?: "gltf" | "three" | "unity" | "unreal" | "godot" | "mobile";
  /** A file whose clips are added before the character's own, matched by joint names; may be repeated. */
  clips?: CharacterInput | CharacterInput[];
  /** How far joints bend and twist in the range of motion; the format is that of bake --limits. */
  limits?: object;
}

/** Options of `pelt fix`. */
export interface FixOptions extends CallOptions {
  /** Repair findings of these kinds alone. */
  only?:
    | "bleed"
    | "torn"
    | "piece"
    | "noise"
    | "crease"
    | "collapse"
    | "bulge"
    | "stretch"
    | "flip"
    | "poke"
    | "unweighted"
    | "swapped"
    | "asymmetry"
    | "unused"
    | "limits"
    | "structure"
    | (
        | "bleed"
        | "torn"
        | "piece"
        | "noise"
        | "crease"
        | "collapse"
        | "bulge"
        | "stretch"
        | "flip"
        | "poke"
        | "unweighted"
        | "swapped"
        | "asymmetry"
        | "unused"
        | "limits"
        | "structure"
      )[];
  /** Add at most N driven joints where the shape still suffers, by pelt bake. */
  helpers?: number;
  /** The same with virtual joints. */
  virtual?: number;
  /** Say what would be done; the output equals the input. */
  dryRun?: boolean;
  /** A file whose clips are added before the character's own, matched by joint names; may be repeated. */
  clips?: CharacterInput | CharacterInput[];
  /** How far joints bend and twist in the range of motion; the format is that of bake --limits. */
  limits?: object;
}

/** Options of `pelt sample`. */
export interface SampleOptions extends CallOptions {
  /** Approximate number of vertices (default: depends on the sample). */
  resolution?: number;
  /** rigid: one joint per vertex (default); smooth: up to 4 joints per vertex, blended. */
  skin?: "rigid" | "smooth";
  /** With arm: also write the shapes of a muscular arm along its first clip, 30 per second, as examples for pelt fit. */
  examples?: boolean;
}

/** Options of `pelt bind`. */
export interface BindOptions extends CallOptions {
  /** smooth: the weights that an artist would probably paint (default). rigid: one joint per vertex, the heaviest or, without weights, that of the nearest bone. bbw: bounded biharmonic weights. */
  method?: "smooth" | "rigid" | "bbw";
  /** At most K joints per vertex, 0 for all (default: 4; rigid always uses one). */
  influences?: number;
  /** Bind to these joints only, even if they look like controls. */
  joints?: string | string[];
  /** Bind to all joints but these. */
  excludeJoints?: string | string[];
  /** For bbw without --tets: approximate number of tetrahedra of the lattice (default: 20000). */
  lattice?: number;
  /** For bbw: the volume to solve on, a .mesh file with tetrahedra (default: a lattice around the mesh). */
  tets?: string;
  /** A file whose clips are added before the character's own, matched by joint names; may be repeated. */
  clips?: CharacterInput | CharacterInput[];
}

/** Options of `pelt transfer`. */
export interface TransferOptions extends CallOptions {
  /** How far a vertex may be from the skin that it copies, as a fraction of the skin's diagonal (default: 0.05). */
  distance?: number;
  /** How much its normal may differ from the skin's, in degrees (default: 30). */
  angle?: number;
  /** At most K joints per vertex (default: as many as FROM has). */
  influences?: number;
  /** Copy the nearest point's weights everywhere and fill nothing, for comparison. */
  nearest?: boolean;
  /** A file whose clips are added before the character's own, matched by joint names; may be repeated. */
  clips?: CharacterInput | CharacterInput[];
}

/** Options of `pelt lod`. */
export interface LodOptions extends CallOptions {
  /** Triangles of each level, as fractions of the original, descending (default: 0.5,0.25,0.1). */
  ratios?: number | number[];
  /** At most K joints per vertex (default: as many as the character has). */
  influences?: number;
}

/** Options of `pelt mush`. */
export interface MushOptions extends CallOptions, DirectDeltaMushOptions {
  /** The run-time variant that the file requests (default: v0, the full model). */
  variant?: "v0" | "v1" | "v2" | "v3" | "v4" | "v5";
  /** Storage: 48 (float) or 24 (q16) bytes per joint and vertex (default: float). */
  payload?: "float" | "q16";
  /** How closely translations follow the bones, 0 to below 1 (default: 0.5). */
  alpha?: number;
  /** At most K joints per vertex, 0 for all (default for mush: the fewest, at most 8, with an RMS error below 1e-4 of the bounding-box diagonal over the range of motion; otherwise all). */
  influences?: number;
  /** Treat vertices within this distance as one (default: 0). */
  weld?: number;
  /** A file whose clips are added before the character's own, matched by joint names; may be repeated. */
  clips?: CharacterInput | CharacterInput[];
}

/** Options of `pelt deform`. */
export interface DeformOptions extends CallOptions, DirectDeltaMushOptions, ClipsAndFramesOptions {
  /** The clip, by name or index (default: the first); @range: a test motion that bends and twists every joint. */
  clip?: string | number;
  /** One frame: the mesh as stored in the file. */
  bindPose?: boolean;
  /** Select samples with a Python slice: 0:100:5, ::2, -10:, ::-1. */
  frames?: string | number;
  /** Leave out props: meshes without a skin (hats, weapons) that are attached to nodes. */
  noProps?: boolean;
  /** The deformer (default: lbs); see Methods below. */
  method?: MethodName;
  /** Treat vertices within this distance as one, for normals and smoothing (default: 0). */
  weld?: number;
  /** How closely translations follow the bones, 0 to below 1 (default: 0.5). */
  alpha?: number;
  /** At most K joints per vertex, 0 for all (default for mush: the fewest, at most 8, with an RMS error below 1e-4 of the bounding-box diagonal over the range of motion; otherwise all). */
  influences?: number;
  /** How different weights may be to count as similar, above 0 (default: 0.1). */
  sigma?: number;
  /** Merge triangles with weights this close; 0: exact sum (default: 1/128). */
  weightCell?: number;
  /** What dm and dm-tangent smooth: another method with the character's own weights, or a sequence with one mesh per sample (default: linear blend skinning with the bind). */
  base?: string | number | Float32Array | Frames | CharacterInput;
  /** A file whose clips are added before the character's own, matched by joint names; may be repeated. */
  clips?: CharacterInput | CharacterInput[];
  /** How far joints bend and twist in the range of motion; the format is that of bake --limits. */
  limits?: object;
  /** Also write unit normals (frames, vertices, 3). */
  normals?: boolean;
  /** Also write the directions of the tangents, unit length (frames, vertices, 3). */
  tangents?: boolean;
}

/** Options of `pelt bake`. */
export interface BakeOptions extends CallOptions, DirectDeltaMushOptions, ClipsAndFramesOptions {
  /** The clip, by name or index (default: the first); @range: a test motion that bends and twists every joint. */
  clip?: string | number;
  /** One frame: the mesh as stored in the file. */
  bindPose?: boolean;
  /** Select samples with a Python slice: 0:100:5, ::2, -10:, ::-1. */
  frames?: string | number;
  /** What to bake: a method of pelt deform, or a sequence with one mesh per sample of the clip (default: ddm). */
  from?: string | number | Float32Array | Frames | CharacterInput;
  /** At most K joints per vertex, 0 for any number (default: 4). */
  influences?: number;
  /** Add at most N helper joints, driven by other joints, where the error is largest (default: 0). */
  helpers?: number;
  /** Add at most N virtual joints, which move as vertices of Direct Delta Mush do, instead of helpers: its look at the price of plain skinning. */
  virtual?: number;
  /** The E_RMS to reach, with as few helpers or virtual joints as possible; exit status 4 if it is missed. */
  maxError?: number;
  /** Fit to the clip alone; by default the range of motion takes part too, for clips that the skin plays later. */
  onlyClip?: boolean;
  /** A joint whose weights are kept; may be repeated. */
  lock?: string | string[];
  /** Treat vertices within this distance as one (default: 0). */
  weld?: number;
  /** How closely translations follow the bones, 0 to below 1 (default: 0.5). */
  alpha?: number;
  /** How different weights may be to count as similar, above 0 (default: 0.1). */
  sigma?: number;
  /** Merge triangles with weights this close; 0: exact sum (default: 1/128). */
  weightCell?: number;
  /** What dm and dm-tangent smooth: another method with the character's own weights, or a sequence with one mesh per sample (default: linear blend skinning with the bind). */
  base?: string | number | Float32Array | Frames | CharacterInput;
  /** How far joints bend and twist in the range of motion, in degrees (default: bend 90, twist 60, in both directions): {"default": {"bend": 90, "twist": 60}, "joints": {"knee": {"bend": [0, 140]}}}. */
  limits?: object;
  /** A file whose clips are added before the character's own, matched by joint names; may be repeated. */
  clips?: CharacterInput | CharacterInput[];
}

/** Options of `pelt clean`. */
export interface CleanOptions extends CallOptions {
  /** Remove weights below W (default: 0.0001). */
  threshold?: number;
  /** Also take joints that move no vertex out of the skin; their nodes stay. */
  unusedJoints?: boolean;
  /** Samples per second when the result is checked (default: 30). */
  fps?: number;
  /** A file whose clips are added before the character's own, matched by joint names; may be repeated. */
  clips?: CharacterInput | CharacterInput[];
}

/** Options of `pelt limit`. */
export interface LimitOptions extends CallOptions {
  /** At most K joints per vertex, 0 for any number (default: 4). */
  influences?: number;
  /** At most N joints: others are merged into their parents, those that matter least first (default: all stay). */
  maxJoints?: number;
  /** Samples of the clips per second (default: 30). */
  fps?: number;
  /** How far joints bend and twist in the range of motion; the format is that of bake --limits. */
  limits?: object;
  /** A file whose clips are added before the character's own, matched by joint names; may be repeated. */
  clips?: CharacterInput | CharacterInput[];
}

/** Options of `pelt mirror`. */
export interface MirrorOptions extends CallOptions {
  /** The side to copy (default: left). */
  from?: "left" | "right";
  /** The axis from one side to the other in the bind pose (default: that of the joints' pairs). */
  axis?: "x" | "y" | "z";
  /** A file whose clips are added before the character's own, matched by joint names; may be repeated. */
  clips?: CharacterInput | CharacterInput[];
}

/** Options of `pelt pack`. */
export interface PackOptions extends CallOptions, DirectDeltaMushOptions {
  /** A method of deform, except dm and dm-tangent (default: ddm for a mushed or fitted file, otherwise lbs). */
  method?: MethodName;
  /** How closely translations follow the bones, 0 to below 1 (default: 0.5). */
  alpha?: number;
  /** At most K joints per vertex, 0 for all (default for mush: the fewest, at most 8, with an RMS error below 1e-4 of the bounding-box diagonal over the range of motion; otherwise all). */
  influences?: number;
  /** Treat vertices within this distance as one (default: 0). */
  weld?: number;
  /** How different weights may be to count as similar, above 0 (default: 0.1). */
  sigma?: number;
  /** Merge triangles with weights this close; 0: exact sum (default: 1/128). */
  weightCell?: number;
  /** What dm and dm-tangent smooth: another method with the character's own weights, or a sequence with one mesh per sample (default: linear blend skinning with the bind). */
  base?: string | number;
}

/** Options of `pelt fit`. */
export interface FitOptions extends CallOptions, ClipsAndFramesOptions {
  /** At most K joints per vertex, 0 for any number (default: 4). */
  influences?: number;
  /** Kinds of driven joints that may be added: half-way rotations, scales by the angle (default: all). */
  extraJoints?: "none" | "rotation" | "scale" | "all";
  /** Add at most N extra joints, those that reduce the error most (default: 16). */
  maxExtraJoints?: number;
  /** Also try N joints learned from the examples, driven by nearby rotations (default: 0). */
  helpers?: number;
  /** Half-way joints per driver; N joints divide its rotation evenly (default: 1). */
  rotations?: number;
  /** Scale of a folded limb: 1 + k (default: 8). */
  scaleK?: number;
  /** Joints that may get extra joints (default: all). */
  drivers?: string | string[];
  /** Weight of the normals: an error of 1 in a unit normal counts as much as a distance of W mean edges (default: 0.5). */
  normalsWeight?: number;
  /** Also store weights of any sign, which fit better: Pelt plays them (method ddm), other programs the plain skin. */
  signed?: boolean;
  /** Cross-validate: also fit without each example in turn and report the error at that example. */
  validate?: boolean;
  /** The clip, by name or index (default: the first); @range: a test motion that bends and twists every joint. */
  clip?: string | number;
  /** Select samples with a Python slice: 0:100:5, ::2, -10:, ::-1. */
  frames?: string | number;
  /** Unit normals of the examples (frames, vertices, 3), which otherwise are their own or, if they have none, recomputed. */
  normals?: Float32Array | Frames | CharacterInput;
  /** A file whose clips are added before the character's own, matched by joint names; may be repeated. */
  clips?: CharacterInput | CharacterInput[];
  /** How far joints bend and twist in the range of motion; the format is that of bake --limits. */
  limits?: object;
  /** What to make (default: character). */
  output?: "character" | "sequence";
}

/** Options of `pelt decompose`. */
export interface DecomposeOptions extends CallOptions, ClipsAndFramesOptions {
  /** Number of bones (default: 20, or the number of kept joints); auto: the fewest, up to 128, that reach --tolerance. */
  bones?: string | number;
  /** The E_RMS to reach (default with --bones auto: 3); without --bones it implies auto. Exit status 4 if a given tolerance is missed. */
  tolerance?: number;
  /** At most K bones per vertex, 0 for any number (default: 4). */
  influences?: number;
  /** rigid: bones rotate and translate; flexible: they also stretch and shear (default: rigid). */
  bonesKind?: "rigid" | "flexible";
  /** At most N iterations of weights and bones (default: 100). */
  iterations?: number;
  /** Weight of edges in the objective, from 0 to below 1: larger values give smoother surfaces, smaller ones a smaller E_RMS (default: 0.87). */
  smoothness?: number;
  /** Adjust the rest pose to the bones at the end (default: on). */
  restCorrection?: "on" | "off" | boolean;
  /** Seed of a random start; 0: deterministic (default: 0). */
  seed?: number;
  /** Compute joints where bones rotate about a common center, and a hierarchy (default: all bones are roots). */
  skeleton?: boolean;
  /** Add R corrective morph targets, with weights in the clips (default: 0). */
  eigenskin?: number;
  /** The clip, by name or index (default: the first); @range: a test motion that bends and twists every joint. */
  clip?: string | number;
  /** One frame: the mesh as stored in the file. */
  bindPose?: boolean;
  /** Select samples with a Python slice: 0:100:5, ::2, -10:, ::-1. */
  frames?: string | number;
  /** Leave out props: meshes without a skin (hats, weapons) that are attached to nodes. */
  noProps?: boolean;
  /** A mesh: rest pose and faces (default: those of the first sequence, or its first frame). */
  rest?: CharacterInput | MeshInput;
  /** A mesh: faces only; the first frame is the rest pose. */
  mesh?: CharacterInput | MeshInput;
  /** A character whose joints, hierarchy and clips are kept: only weights and additional bones are solved for. */
  keepMotion?: CharacterInput;
  /** A character whose weights are kept: the motion of its joints is solved for, unless it is kept too. */
  keepWeights?: CharacterInput;
  /** A file whose clips are added before the character's own, matched by joint names; may be repeated. */
  clips?: CharacterInput | CharacterInput[];
  /** How far joints bend and twist in the range of motion; the format is that of bake --limits. */
  limits?: object;
}

/** Options of `pelt pose`. */
export interface PoseOptions extends CallOptions {
  /** The edge sets that stay rigid: edges around a vertex, those and the opposite edges, triangles, or tetrahedra of a lattice around the mesh (default: spokes-and-rims; tets if parts of the mesh share no joint). */
  energy?: "triangles" | "tets" | "spokes" | "spokes-and-rims";
  /** Number of rotations, shared by edges with similar weights (default: depends on the number of joints); 0: no sharing. */
  clusters?: number;
  /** Number of additional weight functions that let the skin bend between joints (default: 0). */
  extraWeights?: number;
  /** The kind of these functions: the smoothest functions on the shape, or B-splines in weight space (default: modes). */
  extraKind?: "modes" | "bumps";
  /** Start from this clip instead of the rest pose of the nodes. */
  clip?: string | number;
  /** The time in that clip, in seconds (default: its first key). */
  at?: number;
  /** Frames per second between keyed targets (default: 30). */
  fps?: number;
  /** Write the free pose of FAST, as for a mesh without joints: joints may stretch and shear to bend the skin less; in a file, they are nested nodes. A skeleton is otherwise posed by another solver, which turns its joints and keeps the lengths of bones. */
  free?: boolean;
  /** Pose a mesh that lies in one plane by rotations of that plane alone, so that turning a triangle over has its cost; auto: if all targets stay in the plane; off: as a sheet in space (default: auto). */
  flat?: "auto" | "on" | "off" | boolean;
  /** Write a sequence with rigid joints whose bones keep their lengths, whatever the handles are. */
  keepLengths?: boolean;
  /** At most N iterations per frame (default: until convergence, at most 10000 in the first frame and 3000 in the others). */
  iterations?: number;
  /** The deformer of a sequence (default: lbs, with all weights of the rig). */
  method?: MethodName;
  /** Continue with all vertices free, without the rig; slow, for comparison. */
  unreduced?: boolean;
  /** With --free, a file has at most K joints per vertex, 0 for any number (default: 8). */
  influences?: number;
  /** With --free, the E_RMS of a file relative to the free pose; exit status 4 if it is missed. */
  maxError?: number;
  /** Leave out props: meshes without a skin (hats, weapons) that are attached to nodes. */
  noProps?: boolean;
  /** A file whose clips are added before the character's own, matched by joint names; may be repeated. */
  clips?: CharacterInput | CharacterInput[];
  /** How far joints may bend and twist, in degrees; the format is that of bake --limits. Implies --keep-lengths. */
  limits?: object;
  /** What to make (default: character). */
  output?: "character" | "sequence";
}

/** Options of `pelt compare`. */
export interface CompareOptions extends CallOptions, ClipsAndFramesOptions {
  /** Exit with status 4 if E_RMS is above this. */
  maxError?: number;
  /** The clip, by name or index (default: the first); @range: a test motion that bends and twists every joint. */
  clip?: string | number;
  /** One frame: the mesh as stored in the file. */
  bindPose?: boolean;
  /** Select samples with a Python slice: 0:100:5, ::2, -10:, ::-1. */
  frames?: string | number;
  /** Leave out props: meshes without a skin (hats, weapons) that are attached to nodes. */
  noProps?: boolean;
  /** The rest pose that scales E_RMS (default: frame 0 of A), and faces. */
  mesh?: CharacterInput | MeshInput;
  /** A file whose clips are added before the character's own, matched by joint names; may be repeated. */
  clips?: CharacterInput | CharacterInput[];
  /** How far joints bend and twist in the range of motion; the format is that of bake --limits. */
  limits?: object;
}

/** The verbs that work on a character. */
export interface CharacterVerbs {
  /** Says what is wrong with a skin, as an artist would point at it. */
  check(options?: CheckOptions): Promise<Reported>;

  /** Repairs what check finds in a skin, and nothing else. */
  fix(options?: FixOptions): Promise<Made>;

  /** Computes skin weights for a mesh and its skeleton. */
  bind(options?: BindOptions): Promise<Made>;

  /** Gives a mesh the skin of another: clothes, hair, another topology, a level of detail. */
  transfer(to: CharacterInput | MeshInput | Frames, options?: TransferOptions): Promise<Made>;

  /** Levels of detail: simplified meshes that deform alike. */
  lod(options?: LodOptions): Promise<MadeLevels>;

  /** Precomputes Direct Delta Mush (smooth skin from a rigid bind) and stores it in the file. */
  mush(options?: MushOptions): Promise<Made>;

  /** Deforms a character over a clip and writes the vertices of every frame. */
  deform(options?: DeformOptions): Promise<MadeFrames>;

  /** Bakes any deformer, or a deformed sequence, to plain skin weights for every engine. */
  bake(options?: BakeOptions): Promise<Made>;

  /** Removes what does not change the motion: tiny weights, keys that repeat their neighbors. */
  clean(options?: CleanOptions): Promise<Made>;

  /** Reduces the joints per vertex, or all joints, and solves for the weights that keep the motion. */
  limit(options?: LimitOptions): Promise<Made>;

  /** Gives one side of a character the weights, maps and settings of the other. */
  mirror(options?: MirrorOptions): Promise<Made>;

  /** Writes a character as a binary rig for engines that link pelt::runtime. */
  pack(options?: PackOptions): Promise<Made>;

  /** Fits a skin to example poses: weights, rest pose, extra joints (Mohr & Gleicher). */
  fit(examples: Float32Array | Frames | CharacterInput, options?: FitOptions): Promise<Made>;

  /** Poses a skeleton by turning bones, from a few handles; a mesh, or with --free, by bending it. */
  pose(handles: Handle[] | object, options?: PoseOptions): Promise<Made>;

  /** Measures the distance between two sequences: RMS, maximum, E_RMS. */
  compare(b: CharacterInput | MeshInput | Frames, options?: CompareOptions): Promise<Reported>;
}
