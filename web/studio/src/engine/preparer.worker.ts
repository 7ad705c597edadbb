/** What takes longer than a picture may: preparing methods, errors over a clip, and poses by handles. */
import type { Character, Deformer, Poser, Rows, VerbRow } from "@pelt/core";
import { expose, transfer } from "comlink";
import type { Sequence } from "../file/sequences.js";
import { buffersOf, Characters, ownSpec } from "./characters.js";
import { type Curves, keyOf, type MethodSpec, type PoseRequest } from "./protocol.js";

/** Vertex attributes that were painted, by name. */
export type Attributes = Record<string, Float32Array>;

/** A method for the player, and for the GPU where it has a form there. */
export interface Prepared {
  bytes: Uint8Array;
  rows: Rows | null;
}

/** Methods that stay prepared here, for errors over a clip. */
const most = 4;

export class Preparer {
  private readonly characters = new Characters();
  /** The file with what is painted on it. */
  private painted: Character | undefined;
  private readonly deformers = new Map<string, Deformer>();
  private poser: { key: string; poser: Poser } | undefined;
  /** The character with the motion of keyed handles as its first clip. */
  private motion: { key: string; character: Character } | undefined;
  private curveRun = 0;

  async load(bytes: Blob, name: string): Promise<void> {
    ++this.curveRun;
    await this.characters.load(bytes, name, () => undefined);
    this.forget();
    this.painted = undefined;
    this.poser = undefined; // freed with its character
    this.forgetMotion();
  }

  async setResult(bytes: Blob, name: string): Promise<void> {
    ++this.curveRun;
    await this.characters.setResult(bytes, name);
    this.forget();
  }

  verbs(): Promise<VerbRow[]> {
    return this.characters.verbs();
  }

  async sample(name: string): Promise<Uint8Array> {
    const bytes = await this.characters.sample(name);
    return transfer(bytes, [bytes.buffer as ArrayBuffer]);
  }

  /** The first clip of a file as a mesh sequence, as `pelt decompose` samples it. */
  async sequence(bytes: Blob, name: string): Promise<Sequence> {
    const character = await this.characters.read(bytes, name);
    try {
      const times = character.clipTimes(0, 30),
        deformer = character.deformer("lbs"),
        size = 3 * character.vertexCount;
      const frames = new Float32Array(size * times.length);
      times.forEach((time, f) => deformer.evaluateAt(0, time, frames.subarray(f * size, (f + 1) * size)));
      const made: Sequence = {
        name,
        frames,
        frameCount: times.length,
        vertexCount: character.vertexCount,
        triangles: character.triangles(),
        rest: character.positions(),
      };
      return transfer(made, [frames.buffer]);
    } finally {
      character.dispose();
    }
  }

  /** The maps that options like `lambdaMap` name. */
  paint(attributes: Attributes): void {
    this.forget();
    this.painted?.dispose();
    let made = this.characters.opened();
    for (const [name, values] of Object.entries(attributes)) {
      const next = made.withAttribute(name, values);
      if (made !== this.characters.file) made.dispose();
      made = next;
    }
    this.painted = made === this.characters.file ? undefined : made;
  }

  /** A prepared method; null if the player has to prepare it itself. */
  prepare(spec: MethodSpec): Prepared | null {
    const deformer = this.deformer(spec),
      file = this.characters.opened();
    if (spec.method.startsWith("dm") || file.joints.length === 0) return null;
    const bytes = deformer.bytes(),
      rows = file.rowsOf(bytes);
    return transfer({ bytes, rows }, buffersOf([bytes, ...Object.values(rows ?? {})]));
  }

  /** Distances from the first method over a clip; null if another file or another question came in between. */
  async curves(clip: string | null, methods: MethodSpec[]): Promise<Curves | null> {
    const run = ++this.curveRun,
      file = this.characters.opened();
    const times = clip === null ? [0] : file.clipTimes(clip, 30);
    const first = new Float32Array(3 * file.vertexCount),
      other = first.slice();
    const curves = methods.slice(1).map(() => ({
      rms: new Float32Array(times.length),
      max: new Float32Array(times.length),
    }));
    let paused = performance.now();
    for (const [i, time] of times.entries()) {
      this.deformer(methods[0]).evaluateAt(clip ?? undefined, time, first);
      for (const [m, curve] of curves.entries()) {
        this.deformer(methods[m + 1]).evaluateAt(clip ?? undefined, time, other);
        [curve.rms[i], curve.max[i]] = distance(first, other);
      }
      if (performance.now() - paused < 12) continue;
      await new Promise((resolve) => setTimeout(resolve)); // requests that came meanwhile go first
      if (run !== this.curveRun) return null;
      paused = performance.now();
    }
    return { times: Float64Array.from(times), curves };
  }

  /** The pose that `pelt pose` finds for these handles: skin matrices. */
  pose(request: PoseRequest): Float32Array {
    const matrices =
      request.time === undefined ? this.posed(request) : this.motionOf(request).skinMatrices(0, request.time);
    return transfer(matrices, [matrices.buffer as ArrayBuffer]);
  }

  private posed(request: PoseRequest): Float32Array {
    const poser = this.poserOf(request);
    poser.setHandles({ handles: request.handles });
    poser.step();
    return poser.matrices();
  }

  /** The clip that `pelt pose` makes: what is played is what is exported. */
  private motionOf(request: PoseRequest): Character {
    const key = JSON.stringify([request.handles, request.start, request.limits]);
    if (this.motion?.key !== key) {
      this.forgetMotion();
      const poser = this.poserOf(request);
      poser.setHandles({ handles: request.handles });
      this.motion = { key, character: poser.clip() };
    }
    return this.motion.character;
  }

  private poserOf({ start, limits }: PoseRequest): Poser {
    const key = JSON.stringify([start, limits]);
    if (this.poser?.key !== key) {
      this.poser?.poser.dispose();
      this.poser = undefined;
      const from = start.clip === null ? {} : { clip: start.clip, at: start.time };
      const poser = this.characters.opened().poser({ ...from, keepLengths: true, ...(limits ? { limits } : {}) });
      this.poser = { key, poser };
    }
    return this.poser.poser;
  }

  private forgetMotion(): void {
    this.motion?.character.dispose();
    this.motion = undefined;
  }

  private deformer(spec: MethodSpec): Deformer {
    const key = keyOf(spec);
    let deformer = this.deformers.get(key);
    if (!deformer) {
      const owner =
        spec.method === "result" ? this.characters.ownerOf(spec) : (this.painted ?? this.characters.opened());
      const { method, options } = ownSpec(spec);
      deformer = owner.deformer(method, options);
    }
    this.deformers.delete(key);
    this.deformers.set(key, deformer);
    const [oldest] = this.deformers.keys();
    if (this.deformers.size > most) {
      this.deformers.get(oldest)!.dispose();
      this.deformers.delete(oldest);
    }
    return deformer;
  }

  private forget(): void {
    for (const deformer of this.deformers.values()) deformer.dispose();
    this.deformers.clear();
  }
}

/** RMS and largest distance, as `pelt compare` reports them. */
function distance(a: Float32Array, b: Float32Array): [number, number] {
  let sum = 0,
    largest = 0;
  for (let i = 0; i < a.length; i += 3) {
    const x = a[i] - b[i],
      y = a[i + 1] - b[i + 1],
      z = a[i + 2] - b[i + 2];
    const squared = x * x + y * y + z * z;
    sum += squared;
    if (squared > largest) largest = squared;
  }
  return [Math.sqrt((3 * sum) / a.length), Math.sqrt(largest)];
}

expose(new Preparer());
