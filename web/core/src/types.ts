import type { CallOptions } from "./instance.js";

/** Options are those of the program's verbs in camelCase: `--extra-weights 15` is `{ extraWeights: 15 }`. */
export type Options = CallOptions & Record<string, unknown>;

/** The object that the program prints with --json. */
export type Report = Record<string, any>;

/** What a verb that only looks gives. */
export interface Reported {
  report: Report;
}

/** What a verb made: the bytes of a .glb (of `pack`: of a .peltrig) and the report. */
export interface Made extends Reported {
  bytes: Uint8Array;
}

/** Several characters: levels of detail as the bytes of .glb files, the finest first. */
export interface MadeLevels extends Reported {
  levels: Uint8Array[];
}

/** A sequence: three numbers per vertex, frame by frame; other outputs where they were asked for. */
export interface MadeFrames extends Reported {
  frames: Float32Array;
  normals?: Float32Array;
  tangents?: Float32Array;
}

/** What any verb gives. */
export interface VerbResult extends Partial<Made>, Partial<MadeLevels>, Partial<MadeFrames> {
  report: Report;
  [output: string]: any;
}

export interface Joint {
  name: string;
  /** The index of the parent joint, or -1. */
  parent: number;
}

export interface Clip {
  name: string;
  /** The time of the first key. */
  start: number;
  /** From the first key to the last. */
  seconds: number;
}

/** Weights as compressed rows. */
export interface Weights {
  /** vertexCount + 1 numbers. */
  offsets: Uint32Array;
  joints: Uint32Array;
  values: Float32Array;
}

export interface PoserOptions extends CallOptions {
  energy?: "spokes" | "spokes-and-rims" | "triangles" | "tets";
  clusters?: number;
  extraWeights?: number;
  extraKind?: "modes" | "bumps";
  /** The pose to start from: a clip and a time in it, in seconds. */
  clip?: string | number;
  at?: number;
  /** The pose of `pelt pose --free`, in which joints may stretch; also the default. */
  free?: boolean;
  /** Rigid joints, as in the clip that `pelt pose` makes. */
  keepLengths?: boolean;
  /** Of joints, as `pelt pose --limits` reads them; then they are rigid too. */
  limits?: object;
  [name: string]: unknown;
}

/** One entry of a handles file; see docs/pose.md. */
export type Handle = Record<string, unknown>;

/** A mesh, such as the rest mesh of a sequence. */
export interface RestMesh {
  positions: Float32Array;
  triangles: Uint32Array;
}

/** Positions, three numbers per vertex, frame by frame. */
export interface Frames {
  frames: Float32Array;
  vertexCount: number;
  triangles?: Uint32Array;
}
