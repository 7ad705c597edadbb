import { Deformer } from "./deformer.js";
import { Instance, toOptions } from "./instance.js";
import type { LongCalls } from "./long_calls.js";
import { checkLength, own, Owned } from "./owned.js";
import { Poser } from "./poser.js";
import { readRows, type Rows } from "./rows.js";
import { runGiven, saveBytes } from "./run_verb.js";
import type { Clip, Joint, Options, PoserOptions, Report, Weights } from "./types.js";
import type { CharacterVerbs, DeformOptions } from "./verbs.js";

/** Verbs of the table: createPelt gives the class these methods. */
export interface Character extends CharacterVerbs {}

/** A mesh on a skeleton. Immutable: verbs return new files. Free it with dispose(). */
export class Character {
  readonly vertexCount: number;
  readonly triangleCount: number;
  readonly joints: readonly Joint[];
  readonly clips: readonly Clip[];
  private readonly owned: Owned;
  private readonly users = new Set<{ dispose(): void }>();

  /** @internal Use Pelt.loadCharacter. */
  constructor(
    private readonly instance: Instance,
    pointer: number,
    private readonly long: LongCalls,
  ) {
    const { module } = instance;
    this.owned = own(this, pointer, "character", (p) => module._pelt_character_free(p));
    this.vertexCount = module._pelt_vertex_count(pointer);
    this.triangleCount = module._pelt_triangle_count(pointer);
    this.joints = Array.from({ length: module._pelt_joint_count(pointer) }, (_, j) => ({
      name: instance.text(module._pelt_joint_name(pointer, j)),
      parent: module._pelt_joint_parent(pointer, j),
    }));
    this.clips = Array.from({ length: module._pelt_clip_count(pointer) }, (_, c) => ({
      name: instance.text(module._pelt_clip_name(pointer, c)),
      start: module._pelt_clip_start(pointer, c),
      seconds: module._pelt_clip_seconds(pointer, c),
    }));
  }

  /** What `pelt info --json` says. */
  info(options?: Options): Report {
    return this.instance.scoped((scope) => {
      const report = scope.slot();
      const status = this.instance.module._pelt_info(this.owned.get(), scope.string(toOptions(options)), report);
      this.instance.check(status);
      return JSON.parse(this.instance.text(scope.take(report)));
    });
  }

  /** Three numbers per vertex, in rest space: the skinned mesh, then the props. */
  positions(): Float32Array {
    return this.instance.floats(this.instance.module._pelt_positions(this.owned.get()), 3 * this.vertexCount);
  }

  /** Three vertex indices per triangle. */
  triangles(): Uint32Array {
    return this.instance.integers(this.instance.module._pelt_triangles(this.owned.get()), 3 * this.triangleCount);
  }

  /** Weights by vertex: those of vertex v are entries offsets[v] to offsets[v + 1] of `joints` and `values`. */
  weights(): Weights {
    const { module } = this.instance,
      character = this.owned.get();
    const wide = this.instance.integers(module._pelt_weight_offsets(character), 2 * (this.vertexCount + 1));
    const offsets = wide.filter((_, i) => i % 2 === 0); // 64-bit numbers, low words first
    const count = offsets[this.vertexCount];
    return {
      offsets,
      joints: this.instance.integers(module._pelt_weight_joints(character), count),
      values: this.instance.floats(module._pelt_weight_values(character), count),
    };
  }

  /** The moments at which the program samples a clip, in seconds, from its first key on. */
  clipTimes(clip: string | number, fps = 30): number[] {
    return this.instance.scoped((scope) => {
      const times = scope.slot(),
        name = scope.string(String(clip));
      this.instance.check(this.instance.module._pelt_clip_times(this.owned.get(), name, fps, times));
      return JSON.parse(this.instance.text(scope.take(times)));
    });
  }

  /**
   * 16 numbers per joint, by columns: from rest space to posed space at a moment of a clip.
   * @param clip name or index; "@range" is the range of motion; undefined the nodes' rest pose
   * @param seconds the file's own time, from its first key to its last
   */
  skinMatrices(clip?: string | number, seconds = 0): Float32Array {
    return this.instance.scoped((scope) => {
      const out = scope.bytes(64 * this.joints.length);
      const name = scope.string(clip === undefined ? undefined : String(clip));
      this.instance.check(this.instance.module._pelt_skin_matrices(this.owned.get(), name, seconds, out));
      return this.instance.floats(out, 16 * this.joints.length);
    });
  }

  /** Three numbers per vertex, in rest space, with the clip's morph targets added: for Deformer.setRest. */
  morphedPositions(clip?: string | number, seconds = 0): Float32Array {
    return this.instance.scoped((scope) => {
      const out = scope.bytes(12 * this.vertexCount);
      const name = scope.string(clip === undefined ? undefined : String(clip));
      this.instance.check(this.instance.module._pelt_morphed_positions(this.owned.get(), name, seconds, out));
      return this.instance.floats(out, 3 * this.vertexCount);
    });
  }

  /**
   * What the rows of `rowsOf` are posed by: 16 numbers per bone, by columns, from rest space to posed space. Null at
   * a moment with morph targets, which rows do not have.
   * @param clip as for skinMatrices
   */
  bones(clip?: string | number, seconds = 0): Float32Array | null {
    const { module } = this.instance,
      character = this.owned.get();
    return this.instance.scoped((scope) => {
      const count = module._pelt_web_slot_count(character) + module._pelt_web_prop_count(character);
      const out = scope.bytes(64 * count),
        morphed = scope.slot();
      const name = scope.string(clip === undefined ? undefined : String(clip));
      this.instance.check(module._pelt_web_bones(character, name, seconds, out, morphed));
      return scope.filled(morphed) ? null : this.instance.floats(out, 16 * count);
    });
  }

  /**
   * What a GPU needs to pose the vertices by `bones`, as @pelt/three takes it: from what Deformer.bytes gave. Null for
   * dual quaternions, which have no shader.
   */
  rowsOf(bytes: Uint8Array): Rows | null {
    return this.instance.scoped((scope) => readRows(this.instance, scope, this.owned.get(), bytes, this.vertexCount));
  }

  /** Prepares a method of `pelt deform`, such as "ddm", "lbs" or "dqs". */
  deformer(method: string, options?: DeformOptions): Deformer {
    const deformer = this.instance.long(options ?? {}, (call) =>
      this.instance.scoped((scope) => {
        const slot = scope.slot();
        const name = scope.string(method);
        this.instance.check(
          this.instance.module._pelt_deformer_make(
            this.owned.get(),
            name,
            scope.string(toOptions(options)),
            call,
            slot,
          ),
        );
        return new Deformer(this.instance, scope.filled(slot), this.vertexCount, this.joints.length, this);
      }),
    );
    this.users.add(deformer);
    return deformer;
  }

  /** A method that was prepared elsewhere, such as in a worker, for the same character: what Deformer.bytes gave. */
  deformerOf(bytes: Uint8Array): Deformer {
    const deformer = this.instance.scoped((scope) => {
      const slot = scope.slot(),
        pointer = scope.array(bytes);
      this.instance.check(this.instance.module._pelt_deformer_load(this.owned.get(), pointer, bytes.length, slot));
      return new Deformer(this.instance, scope.filled(slot), this.vertexCount, this.joints.length, this);
    });
    this.users.add(deformer);
    return deformer;
  }

  /** Prepares posing by handles. */
  poser(options?: PoserOptions): Poser {
    const poser = this.instance.long(options ?? {}, (call) =>
      this.instance.scoped((scope) => {
        const slot = scope.slot();
        const text = scope.string(toOptions(options));
        this.instance.check(this.instance.module._pelt_poser_make(this.owned.get(), text, call, slot));
        return new Poser(
          this.instance,
          scope.filled(slot),
          this.joints.length,
          this,
          (pointer) => new Character(this.instance, pointer, this.long),
          (handles, call) => this.long.prepare(this.owned.get(), toOptions(options), handles, call),
        );
      }),
    );
    this.users.add(poser);
    return poser;
  }

  /** The same character with one more attribute, a number per vertex: a map for options like `lambdaMap: "_SOFT"`. */
  withAttribute(name: string, values: Float32Array): Character {
    checkLength("values", values, this.vertexCount);
    return this.instance.scoped((scope) => {
      const slot = scope.slot();
      this.instance.check(
        this.instance.module._pelt_with_attribute(this.owned.get(), scope.string(name), scope.array(values), slot),
      );
      return new Character(this.instance, scope.filled(slot), this.long);
    });
  }

  /** The character as a .glb. */
  bytes(): Uint8Array {
    return this.instance.scoped((scope) => saveBytes(this.instance, scope, this.owned.get()));
  }

  /** @internal Any verb, as the methods of the table call it: its other required inputs in their order, then options. */
  runVerb(verb: string, given: unknown[]): Promise<unknown> {
    return runGiven(this.instance, this.long, verb, [this, ...given]);
  }

  /** Frees the character and its deformers and posers. Further calls throw. */
  dispose(): void {
    for (const user of this.users) user.dispose();
    this.users.clear();
    this.owned.dispose();
  }

  /** @internal The handle. */
  get pointer(): number {
    return this.owned.get();
  }

  /** @internal */
  forget(user: { dispose(): void }): void {
    this.users.delete(user);
  }
}
