/**
 * Pelt in WebAssembly: character skin in browsers and in Node.
 *
 *     const pelt = await createPelt();
 *     const hero = pelt.loadCharacter(bytes);
 *     const { bytes: mushed, report } = await hero.mush({ kappa: 0.5 });
 */
import { Character } from "./character.js";
import { createInstance, loadBytes } from "./create.js";
import { PeltError } from "./error.js";
import { camelCase, checkFrames, type CallOptions, type Instance, toOptions } from "./instance.js";
import { CallsHere, CallsInWorker, type LongCalls } from "./long_calls.js";
import { runNamed } from "./run_verb.js";
import type { VerbRow, VerbTable } from "./table.js";
import type { Made, Report, RestMesh, VerbResult } from "./types.js";
import type { DecomposeOptions, SampleOptions } from "./verbs.js";

export { Character } from "./character.js";
export { Deformer } from "./deformer.js";
export { Poser } from "./poser.js";
export { PeltError, type PeltErrorCode } from "./error.js";
export type { CallOptions } from "./instance.js";
export type { Rows } from "./rows.js";
export type {
  Clip,
  Handle,
  Joint,
  Frames,
  Made,
  MadeFrames,
  MadeLevels,
  Options,
  PoserOptions,
  Report,
  Reported,
  RestMesh,
  VerbResult,
  Weights,
} from "./types.js";
export type { VerbInput } from "./run_verb.js";
export type { InputRow, OptionRow, OutputRow, VerbRow, VerbTable } from "./table.js";
export type * from "./verbs.js";
export { VerbWorker } from "./verb_worker.js";

export interface PeltOptions {
  /** Verbs run in a worker, so that a page stays alive. */
  worker?: boolean;
  /** The bytes of pelt.wasm, where it cannot be fetched from beside the module. */
  wasmBinary?: Uint8Array;
}

/** One independent instance of the library. */
export class Pelt {
  /** @internal Use createPelt. */
  constructor(
    private readonly instance: Instance,
    private readonly long: LongCalls,
  ) {}

  /** "0.2.0" */
  get version(): string {
    return this.instance.text(this.instance.module._pelt_version());
  }

  /**
   * Reads a .glb (or a .gltf whose buffers are data URIs), or an .obj, .ply or .off: a mesh without joints. Throws
   * PeltError for anything else.
   */
  loadCharacter(bytes: Uint8Array, options: CallOptions & { name?: string } = {}): Character {
    return new Character(this.instance, loadBytes(this.instance, bytes, options.name, options), this.long);
  }

  /** A built-in character, as `pelt sample`. */
  sample(name: string, options?: SampleOptions): Character {
    const pointer = this.instance.scoped((scope) => {
      const slot = scope.slot();
      const text = scope.string(toOptions(options) ?? "{}");
      this.instance.check(this.instance.module._pelt_sample(scope.string(name), text, slot));
      return scope.filled(slot);
    });
    return new Character(this.instance, pointer, this.long);
  }

  /**
   * Bones, weights and an animation from a mesh sequence.
   * @param frames three numbers per vertex, frame by frame
   */
  async decompose(frames: Float32Array, rest: RestMesh, options?: DecomposeOptions): Promise<Made> {
    const vertexCount = rest.positions.length / 3,
      sequence = { frames, vertexCount, triangles: rest.triangles, file: "frames" };
    return (await this.run("decompose", { sequence, rest }, options)) as Made;
  }

  /** The table of verbs: what `pelt verbs --json` prints of those that are everywhere. */
  verbs(): VerbTable {
    return structuredClone({ verbs: this.instance.verbs });
  }

  /**
   * Runs any verb of the table.
   * @param inputs by their names in the table: characters or their bytes, meshes, frames, and the objects of JSON files
   */
  run(verb: string, inputs: Record<string, unknown>, options: CallOptions = {}): Promise<VerbResult> {
    return runNamed(this.instance, this.long, verb, inputs, options);
  }

  /**
   * How far two sequences are apart, as `pelt compare --json` reports it: rms, max and e_rms, and those of each frame.
   * @param rest three numbers per vertex; scales e_rms
   */
  compare(a: Float32Array, b: Float32Array, rest: Float32Array): Report {
    checkFrames("a", a, rest.length);
    checkFrames("b", b, rest.length);
    if (a.length !== b.length)
      throw new PeltError("bad_usage", `a has ${a.length / rest.length} frames, b has ${b.length / rest.length}`);
    return this.instance.scoped((scope) => {
      const report = scope.slot(),
        { module } = this.instance;
      this.instance.check(
        module._pelt_compare(
          scope.array(a),
          scope.array(b),
          a.length / rest.length,
          rest.length / 3,
          scope.array(rest),
          report,
        ),
      );
      return JSON.parse(this.instance.text(scope.take(report)));
    });
  }

  /** Ends the worker, if there is one. Characters are freed by their own dispose(). */
  dispose(): void {
    this.long.dispose();
  }
}

/** Loads the library; several instances are independent of each other. */
export async function createPelt(options: PeltOptions = {}): Promise<Pelt> {
  const instance = await createInstance(options.wasmBinary);
  addMethods(instance.verbs);
  return new Pelt(instance, options.worker ? new CallsInWorker(instance) : new CallsHere(instance));
}

/** Every verb that works on a character becomes a method, unless it has one that is written by hand. */
function addMethods(verbs: VerbRow[]): void {
  for (const { name, browser, inputs } of verbs) {
    const method = camelCase(name);
    if (!browser || !["character", "any"].includes(inputs[0]?.kind) || method in Character.prototype) continue;
    Object.defineProperty(Character.prototype, method, {
      value(this: Character, ...given: unknown[]) {
        return this.runVerb(name, given);
      },
      configurable: true,
      writable: true,
    });
  }
}
