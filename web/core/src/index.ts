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
import { checkFrames, type CallOptions, type Instance } from "./instance.js";
import { CallsHere, CallsInWorker, type LongCalls } from "./long_calls.js";
import { startWorker } from "./start_worker.js";
import type { Made, Options, Report, RestMesh } from "./types.js";

export { Character, Deformer, Poser } from "./character.js";
export { PeltError, type PeltErrorCode } from "./error.js";
export type { CallOptions } from "./instance.js";
export type { Rows } from "./rows.js";
export type {
  Clip, DeformOptions, Handle, Joint, Made, Options, PoserOptions, Report, RestMesh, Weights,
} from "./types.js";

export interface PeltOptions {
  /** Long calls (mush, bake, bind, fit, pose, decompose) run in a worker, so that a page stays alive. */
  worker?: boolean;
  /** The bytes of pelt.wasm, where it cannot be fetched from beside the module. */
  wasmBinary?: Uint8Array;
}

/** One independent instance of the library. */
export class Pelt {
  /** @internal Use createPelt. */
  constructor(private readonly instance: Instance, private readonly long: LongCalls) {}

  /** "0.2.0" */
  get version(): string {
    return this.instance.text(this.instance.module._pelt_version());
  }

  /** Reads a .glb (or a .gltf whose buffers are data URIs). Throws PeltError for what is no character. */
  loadCharacter(bytes: Uint8Array, options: CallOptions & { name?: string } = {}): Character {
    return new Character(this.instance, loadBytes(this.instance, bytes, options.name, options), this.long);
  }

  /** A built-in character, as `pelt sample`. */
  sample(name: string, options?: Options): Character {
    const pointer = this.instance.scoped((scope) => {
      const slot = scope.slot();
      const text = scope.string(JSON.stringify(options ?? {}));
      this.instance.check(this.instance.module._pelt_sample(scope.string(name), text, slot));
      return scope.filled(slot);
    });
    return new Character(this.instance, pointer, this.long);
  }

  /**
   * Bones, weights and an animation from a mesh sequence.
   * @param frames three numbers a vertex, frame by frame
   */
  decompose(frames: Float32Array, rest: RestMesh, options?: Options): Promise<Made> {
    const extras = { frames, rest: rest.positions, triangles: rest.triangles };
    return this.long.make("decompose", 0, extras, options ?? {});
  }

  /**
   * How far two sequences are apart, as `pelt compare --json` says: rms, max, e_rms and the frames' own.
   * @param rest three numbers a vertex; scales e_rms
   */
  compare(a: Float32Array, b: Float32Array, rest: Float32Array): Report {
    checkFrames("a", a, rest.length);
    checkFrames("b", b, rest.length);
    if (a.length !== b.length)
      throw new PeltError("bad_usage", `a has ${a.length / rest.length} frames, b has ${b.length / rest.length}`);
    return this.instance.scoped((scope) => {
      const report = scope.slot(), { module } = this.instance;
      this.instance.check(module._pelt_compare(scope.array(a), scope.array(b), a.length / rest.length, rest.length / 3,
                                               scope.array(rest), report));
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
  return new Pelt(instance, options.worker ? new CallsInWorker(instance, startWorker) : new CallsHere(instance));
}
