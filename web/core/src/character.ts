import { PeltError } from "./error.js";
import { type CallOptions, Instance, Scope, toOptions } from "./instance.js";
import type { Clip, DeformOptions, Handle, Joint, Made, Options, PoserOptions, Report, Weights } from "./types.js";
import type { LongCalls } from "./long_calls.js";
import { readRows, type Rows } from "./rows.js";

/** Frees what a forgotten object holds; dispose() is still the way to free it at once. */
const forgotten = new FinalizationRegistry<() => void>((free) => free());

/** A handle of the library with its one way to be freed. */
class Owned {
  private pointer: number;

  constructor(pointer: number, private readonly what: string, private readonly release: (pointer: number) => void) {
    this.pointer = pointer;
  }

  get(): number {
    if (this.pointer === 0) throw new PeltError("bad_usage", `this ${this.what} is disposed`);
    return this.pointer;
  }

  dispose(): void {
    if (this.pointer !== 0) this.release(this.pointer);
    this.pointer = 0;
  }
}

function own(owner: object, pointer: number, what: string, release: (pointer: number) => void): Owned {
  const owned = new Owned(pointer, what, release);
  forgotten.register(owner, () => owned.dispose(), owned);
  return owned;
}

function checkLength(name: string, array: ArrayLike<number>, length: number): void {
  if (array.length !== length)
    throw new PeltError("bad_usage", `${name} has ${array.length} numbers; ${length} are needed`);
}

/** A mesh on a skeleton. Immutable: verbs return new files. Free it with dispose(). */
export class Character {
  readonly vertexCount: number;
  readonly triangleCount: number;
  readonly joints: readonly Joint[];
  readonly clips: readonly Clip[];
  private readonly owned: Owned;
  private readonly users = new Set<{ dispose(): void }>();

  /** @internal Use Pelt.loadCharacter. */
  constructor(private readonly instance: Instance, pointer: number, private readonly long: LongCalls) {
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

  /** Three numbers a vertex, in rest space: the skinned mesh, then the props. */
  positions(): Float32Array {
    return this.instance.floats(this.instance.module._pelt_positions(this.owned.get()), 3 * this.vertexCount);
  }

  /** Three vertices a triangle. */
  triangles(): Uint32Array {
    return this.instance.integers(this.instance.module._pelt_triangles(this.owned.get()), 3 * this.triangleCount);
  }

  /** Weights by vertex: those of vertex v are entries offsets[v] to offsets[v + 1] of `joints` and `values`. */
  weights(): Weights {
    const { module } = this.instance, character = this.owned.get();
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
      const times = scope.slot(), name = scope.string(String(clip));
      this.instance.check(this.instance.module._pelt_clip_times(this.owned.get(), name, fps, times));
      return JSON.parse(this.instance.text(scope.take(times)));
    });
  }

  /**
   * 16 numbers a joint, by columns: from rest space to posed space at a moment of a clip.
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

  /** Three numbers a vertex, in rest space, with the clip's morph targets added: for Deformer.setRest. */
  morphedPositions(clip?: string | number, seconds = 0): Float32Array {
    return this.instance.scoped((scope) => {
      const out = scope.bytes(12 * this.vertexCount);
      const name = scope.string(clip === undefined ? undefined : String(clip));
      this.instance.check(this.instance.module._pelt_morphed_positions(this.owned.get(), name, seconds, out));
      return this.instance.floats(out, 3 * this.vertexCount);
    });
  }

  /**
   * What the rows of `rowsOf` are posed by: 16 numbers a bone, by columns, from rest space to posed space. Null at
   * a moment with morph targets, which rows do not have.
   * @param clip as for skinMatrices
   */
  bones(clip?: string | number, seconds = 0): Float32Array | null {
    const { module } = this.instance, character = this.owned.get();
    return this.instance.scoped((scope) => {
      const count = module._pelt_web_slot_count(character) + module._pelt_web_prop_count(character);
      const out = scope.bytes(64 * count), morphed = scope.slot();
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
    const { module } = this.instance, character = this.owned.get();
    const vertices = Array.from({ length: module._pelt_web_prop_count(character) },
                                (_, prop) => module._pelt_web_prop_vertices(character, prop));
    return readRows(bytes, { firstBone: module._pelt_web_slot_count(character), vertices, rest: this.positions() });
  }

  /** Prepares a method of `pelt deform`, such as "ddm", "lbs" or "dqs". */
  deformer(method: string, options?: DeformOptions): Deformer {
    const deformer = this.instance.long(options ?? {}, (call) =>
      this.instance.scoped((scope) => {
        const slot = scope.slot();
        const name = scope.string(method);
        this.instance.check(this.instance.module._pelt_deformer_make(
          this.owned.get(), name, scope.string(toOptions(options)), call, slot));
        return new Deformer(this.instance, scope.filled(slot), this.vertexCount, this.joints.length, this);
      }));
    this.users.add(deformer);
    return deformer;
  }

  /** A method that was prepared elsewhere, such as in a worker, for the same character: what Deformer.bytes gave. */
  deformerOf(bytes: Uint8Array): Deformer {
    const deformer = this.instance.scoped((scope) => {
      const slot = scope.slot(), pointer = scope.array(bytes);
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
        return new Poser(this.instance, scope.filled(slot), this.joints.length, this, this.long);
      }));
    this.users.add(poser);
    return poser;
  }

  /** The same character with a number for each vertex more, such as a map for `lambdaMap: "_SOFTNESS"`. */
  withAttribute(name: string, values: Float32Array): Character {
    checkLength("values", values, this.vertexCount);
    return this.instance.scoped((scope) => {
      const slot = scope.slot();
      this.instance.check(this.instance.module._pelt_with_attribute(
        this.owned.get(), scope.string(name), scope.array(values), slot));
      return new Character(this.instance, scope.filled(slot), this.long);
    });
  }

  /** The character as a .glb. */
  bytes(): Uint8Array {
    return this.instance.scoped((scope) => saveBytes(this.instance, scope, this.owned.get()));
  }

  mush(options?: Options): Promise<Made> {
    return this.long.make("mush", this.owned.get(), {}, options ?? {});
  }

  bake(options?: Options): Promise<Made> {
    return this.long.make("bake", this.owned.get(), {}, options ?? {});
  }

  bind(options?: Options): Promise<Made> {
    return this.long.make("bind", this.owned.get(), {}, options ?? {});
  }

  clean(options?: Options): Promise<Made> {
    return this.long.make("clean", this.owned.get(), {}, options ?? {});
  }

  limit(options?: Options): Promise<Made> {
    return this.long.make("limit", this.owned.get(), {}, options ?? {});
  }

  mirror(options?: Options): Promise<Made> {
    return this.long.make("mirror", this.owned.get(), {}, options ?? {});
  }

  /** @param examples three numbers a vertex, frame by frame */
  fit(examples: Float32Array, options?: Options): Promise<Made> {
    return this.long.make("fit", this.owned.get(), { examples }, options ?? {});
  }

  /** @param handles the list of handles, or the whole object of a handles file */
  pose(handles: Handle[] | object, options?: Options): Promise<Made> {
    return this.long.make("pose", this.owned.get(), { handles: JSON.stringify(handles) }, options ?? {});
  }

  /** Frees the character and its deformers and posers. Further calls throw. */
  dispose(): void {
    for (const user of this.users) user.dispose();
    this.users.clear();
    this.owned.dispose();
  }

  /** @internal */
  forget(user: { dispose(): void }): void {
    this.users.delete(user);
  }
}

/** A method prepared for one character. */
export class Deformer {
  private readonly owned: Owned;
  private readonly memory: Owned;
  private readonly views: Views;

  /** @internal Use Character.deformer. */
  constructor(private readonly instance: Instance, pointer: number, vertices: number, joints: number,
              private readonly character: Character) {
    const { module } = instance;
    this.owned = own(this, pointer, "deformer", (p) => module._pelt_deformer_free(p));
    this.memory = own(this, instance.allocate(64 * joints + 24 * vertices), "deformer", (p) => module._free(p));
    this.views = new Views(instance, this.memory.get(), [16 * joints, 3 * vertices, 3 * vertices]);
  }

  /**
   * Poses every vertex by matrices as Character.skinMatrices gives them, into the caller's arrays. Allocates nothing.
   * @param normals optional: unit normals
   */
  evaluate(matrices: Float32Array, positions: Float32Array, normals?: Float32Array): void {
    const [input, places, turns] = this.views.get();
    checkLength("matrices", matrices, input.length);
    checkLength("positions", positions, places.length);
    if (normals) checkLength("normals", normals, turns.length);
    input.set(matrices);
    this.instance.check(this.instance.module._pelt_deformer_evaluate(
      this.owned.get(), input.byteOffset, places.byteOffset, normals ? turns.byteOffset : 0));
    positions.set(places);
    normals?.set(turns);
  }

  /**
   * What `pelt deform` writes at a moment of a clip: joints, morph targets, and props that move with other nodes.
   * @param clip as for Character.skinMatrices
   */
  evaluateAt(clip: string | number | undefined, seconds: number, positions: Float32Array,
             normals?: Float32Array): void {
    let [, places, turns] = this.views.get();
    checkLength("positions", positions, places.length);
    if (normals) checkLength("normals", normals, turns.length);
    this.instance.scoped((scope) => {
      const name = scope.string(clip === undefined ? undefined : String(clip));
      this.instance.check(this.instance.module._pelt_deformer_evaluate_at(
        this.owned.get(), name, seconds, places.byteOffset, normals ? turns.byteOffset : 0));
    });
    [, places, turns] = this.views.get(); // the memory may have grown
    positions.set(places);
    normals?.set(turns);
  }

  /** Rest positions that are posed from now on by `evaluate`, such as a morphed shape; none: the character's own. */
  setRest(positions?: Float32Array): void {
    this.instance.scoped((scope) => {
      if (positions) checkLength("positions", positions, this.views.get()[1].length);
      const pointer = positions ? scope.array(positions) : 0;
      this.instance.check(this.instance.module._pelt_deformer_set_rest(this.owned.get(), pointer));
    });
  }

  /** What was prepared, for Character.deformerOf in another instance. The iterative Delta Mush ("dm") has none. */
  bytes(): Uint8Array {
    return this.instance.scoped((scope) => {
      const bytes = scope.slot(), size = scope.slot();
      this.instance.check(this.instance.module._pelt_deformer_save(this.owned.get(), bytes, size));
      const begin = scope.take(bytes);
      return this.instance.module.HEAPU8.slice(begin, begin + scope.filled(size));
    });
  }

  dispose(): void {
    this.owned.dispose();
    this.memory.dispose();
    this.character.forget(this);
  }
}

/** Arrays one after the other in the library's memory. They are made anew when the memory has grown, which detaches them. */
class Views {
  private arrays: Float32Array[] = [];

  constructor(private readonly instance: Instance, private readonly pointer: number,
              private readonly lengths: number[]) {}

  get(): Float32Array[] {
    const { buffer } = this.instance.module.HEAPF32;
    if (this.arrays[0]?.buffer !== buffer) {
      let pointer = this.pointer;
      this.arrays = this.lengths.map((length) => {
        const array = new Float32Array(buffer, pointer, length);
        pointer += 4 * length;
        return array;
      });
    }
    return this.arrays;
  }
}

/** A character held by handles: set them, step, take the matrices; 60 times a second. */
export class Poser {
  private readonly owned: Owned;

  /** @internal Use Character.poser. */
  constructor(private readonly instance: Instance, pointer: number, private readonly joints: number,
              private readonly character: Character, private readonly long: LongCalls) {
    this.owned = own(this, pointer, "poser", (p) => instance.module._pelt_poser_free(p));
  }

  /** @param handles the list of handles, or the whole object of a handles file */
  setHandles(handles: Handle[] | object): void {
    this.instance.scoped((scope) => {
      const text = scope.string(JSON.stringify(handles));
      this.instance.check(this.instance.module._pelt_poser_set_handles(this.owned.get(), text));
    });
  }

  /**
   * Goes on by so many iterations; returns the energy after them. Rigid joints are solved to the end; it then returns
   * the largest distance of a handle from its target.
   */
  step(iterations = 30): number {
    return this.instance.scoped((scope) => {
      const energy = scope.bytes(8);
      this.instance.check(this.instance.module._pelt_poser_step(this.owned.get(), iterations, energy));
      return this.instance.module.HEAPF64[energy >> 3];
    });
  }

  /** The character with the clip that `pelt pose` makes of these handles as its first; only with rigid joints. */
  clip(options?: CallOptions): Character {
    return this.instance.long(options ?? {}, (call) =>
      this.instance.scoped((scope) => {
        const slot = scope.slot();
        this.instance.check(this.instance.module._pelt_poser_clip(this.owned.get(), call, slot));
        return new Character(this.instance, scope.filled(slot), this.long);
      }));
  }

  /** 16 numbers a joint, by columns, from rest space to posed space: what Deformer.evaluate takes. */
  matrices(): Float32Array {
    return this.instance.scoped((scope) => {
      const out = scope.bytes(64 * this.joints);
      this.instance.module._pelt_poser_matrices(this.owned.get(), out);
      return this.instance.floats(out, 16 * this.joints);
    });
  }

  dispose(): void {
    this.owned.dispose();
    this.character.forget(this);
  }
}

/** @internal */
export function saveBytes(instance: Instance, scope: Scope, character: number): Uint8Array {
  const bytes = scope.slot(), size = scope.slot();
  instance.check(instance.module._pelt_save_bytes(character, bytes, size));
  const begin = scope.take(bytes);
  return instance.module.HEAPU8.slice(begin, begin + scope.filled(size));
}
