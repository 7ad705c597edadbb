import type { CallOptions } from "./instance.js";

/** Options are those of the program's verbs in camelCase: `--extra-weights 15` is `{ extraWeights: 15 }`. */
export type Options = CallOptions & Record<string, unknown>;

/** The object that the program prints with --json. */
export type Report = Record<string, any>;

/** A verb's result: the bytes of a .glb and the report. */
export interface Made {
  bytes: Uint8Array;
  report: Report;
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
  /** One more than there are vertices. */
  offsets: Uint32Array;
  joints: Uint32Array;
  values: Float32Array;
}

/** Settings of Direct Delta Mush and of the other methods; see docs/cli.md for each. */
export interface DeformOptions extends CallOptions {
  lambda?: number;
  kappa?: number;
  alpha?: number;
  iterations?: number;
  [name: string]: unknown;
}

export interface PoserOptions extends CallOptions {
  energy?: "spokes" | "spokes-and-rims" | "triangles" | "tets";
  clusters?: number;
  extraWeights?: number;
  extraKind?: "modes" | "bumps";
  /** The pose to start from: a clip and a time in it, in seconds. */
  clip?: string | number;
  at?: number;
  /** Rigid joints, as in the clip that `pelt pose` makes; otherwise joints may stretch. */
  keepLengths?: boolean;
  /** Of joints, as `pelt pose --limits` reads them; then they are rigid too. */
  limits?: object;
  [name: string]: unknown;
}

/** One entry of a handles file; see docs/pose.md. */
export type Handle = Record<string, unknown>;

/** The rest mesh of a sequence. */
export interface RestMesh {
  positions: Float32Array;
  triangles: Uint32Array;
}
