/** What the page and its workers tell each other. */
import type { Clip, Joint, Report } from "@pelt/core";

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

export interface FrameRequest {
  clip: string | null;
  time: number;
  methods: MethodSpec[];
  /** Skin matrices instead of a clip's: those of the poser. */
  pose?: PoseStep;
  /** Arrays that the page no longer shows. */
  spare: Float32Array[];
}

export interface PoseStep {
  handles: object[];
  iterations: number;
  clip: string | null;
  at: number;
}

/** A view's vertices, or why there are none. */
export interface ViewFrame {
  positions?: Float32Array;
  normals?: Float32Array;
  error?: string;
}

export interface Frame {
  matrices: Float32Array;
  views: ViewFrame[];
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
