/** The messages between the page and its workers. */
import type { Clip, Joint, Report, Rows } from "@pelt/core";

/** A clip with the moment of its first key. */
export type TimedClip = Clip & { start: number };

/** Weights by rows: those of vertex v are offsets[v] .. offsets[v + 1]. */
export interface Weights {
  offsets: Uint32Array;
  joints: Uint32Array;
  values: Float32Array;
}

export interface Loaded {
  info: Report;
  vertexCount: number;
  positions: Float32Array;
  /** Unit normals at rest, where the GPU may pose the vertices. */
  normals?: Float32Array;
  triangles: Uint32Array;
  joints: Joint[];
  clips: TimedClip[];
  /** The length of the test motion, "@range". */
  rangeSeconds: number;
  weights: Weights;
}

export interface MethodSpec {
  method: string;
  options: Record<string, unknown>;
}

/** A moment of a clip; null: the rest pose of the nodes. */
export interface Moment {
  clip: string | null;
  time: number;
}

/** Skin matrices in place of a clip's, and the moment whose morph targets they are seen with. */
export interface Posed {
  matrices: Float32Array;
  start: Moment;
}

/** What the page wants to see. */
export interface FrameRequest extends Moment {
  methods: MethodSpec[];
  posed?: Posed;
  /** The processor's vertices are wanted also where the GPU poses them. */
  vertices: boolean;
  /** Arrays that the page no longer shows. */
  spare: Float32Array[];
}

/** A view's vertices, or why there are none. */
export interface ViewFrame {
  positions?: Float32Array;
  normals?: Float32Array;
  /** What the GPU poses the vertices by; null: it cannot. */
  rows?: Rows | null;
  error?: string;
}

export interface Frame {
  matrices: Float32Array;
  /** What rows are posed by; null where rows are not enough: a pose by handles, morph targets. */
  bones: Float32Array | null;
  views: ViewFrame[];
  /** Some view shows what was shown before, since its method is still being prepared. */
  preparing: boolean;
}

/** A request to the solver: handles as `pelt pose` takes them, from a moment of a clip. */
export interface PoseRequest {
  handles: object[];
  start: Moment;
  /** Of joints, as `pelt pose --limits` reads them. */
  limits: object | null;
  /** A moment of the motion between keys; undefined: the handles have one target each. */
  time?: number;
}

/** Distances of one method from the first, sample by sample. */
export interface Curve {
  rms: Float32Array;
  max: Float32Array;
}

export interface Curves {
  times: Float64Array;
  curves: Curve[];
}

export const keyOf = (spec: MethodSpec): string => JSON.stringify(spec);

/** Handles of the free pose at one moment, and all that it depends on. */
export interface FreeRequest {
  /** Entries of a handles file, without keys. */
  handles: Record<string, unknown>[];
  /** Of `pelt pose --free`. */
  options: Record<string, unknown>;
  /** The weights are those of joints; otherwise the handles have weights, which depend on where they are. */
  jointed: boolean;
}

/** The free pose after some iterations. */
export interface FreePose {
  positions: Float32Array;
  normals: Float32Array;
  /** Of the joints. */
  matrices: Float32Array;
  /** After each iteration of this step. */
  energies: Float64Array;
}
