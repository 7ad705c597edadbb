import type { Character } from "./character.js";
import type { CallOptions, Instance } from "./instance.js";
import { checkLength, own, Owned, Views } from "./owned.js";
import type { Handle } from "./types.js";

/** A character, or a mesh without joints, held by handles: set them, step, look; 60 times a second. */
export class Poser {
  private readonly owned: Owned;
  private readonly memory: Owned;
  private readonly views: Views;

  /** @internal Use Character.poser. */
  constructor(
    private readonly instance: Instance,
    pointer: number,
    private readonly joints: number,
    private readonly character: Character,
    private readonly make: (pointer: number) => Character,
    private readonly prepareElsewhere: (handles: string, options: CallOptions) => Promise<Uint8Array | null>,
  ) {
    const { module } = instance,
      vertices = 3 * character.vertexCount;
    this.owned = own(this, pointer, "poser", (p) => module._pelt_poser_free(p));
    this.memory = own(this, instance.allocate(4 * vertices), "poser", (p) => module._free(p));
    this.views = new Views(instance, this.memory.get(), [vertices]);
  }

  /**
   * The same handles with other targets or constraints are cheap, and the pose goes on from where it is. To drag one,
   * see setTarget.
   * @param handles the list of handles, or the whole object of a handles file
   */
  setHandles(handles: Handle[] | object): void {
    this.instance.scoped((scope) => {
      const text = scope.string(JSON.stringify(handles));
      this.instance.check(this.instance.module._pelt_poser_set_handles(this.owned.get(), text));
    });
  }

  /**
   * Handles of a mesh without joints that will be set: prepares for their places, in a worker if there is one
   * (createPelt({ worker: true })), while those that were set stay draggable. setHandles then takes milliseconds.
   */
  async prepare(handles: Handle[] | object, options: CallOptions = {}): Promise<void> {
    const { module } = this.instance,
      text = JSON.stringify(handles),
      prepared = await this.prepareElsewhere(text, options);
    this.instance.scoped((scope) => {
      if (!prepared) return this.instance.check(module._pelt_poser_prepare(this.owned.get(), scope.string(text)));
      const bytes = scope.array(prepared);
      this.instance.check(module._pelt_web_take_prepared(this.owned.get(), bytes, prepared.length));
    });
  }

  /** Drags a handle that has a target, counted as in the list that was set. */
  setTarget(handle: number, target: ArrayLike<number>): void {
    this.drag(this.instance.module._pelt_poser_set_target, handle, "target", target, 3);
  }

  /** Turns a handle that has a rotation: degrees about x, then y, then z. */
  setRotation(handle: number, degrees: ArrayLike<number>): void {
    this.drag(this.instance.module._pelt_poser_set_rotation, handle, "degrees", degrees, 3);
  }

  /** Moves a handle that has a transform: 16 numbers, by columns. */
  setTransform(handle: number, matrix: ArrayLike<number>): void {
    this.drag(this.instance.module._pelt_poser_set_transform, handle, "matrix", matrix, 16);
  }

  private drag(
    call: (...values: number[]) => number,
    handle: number,
    name: string,
    value: ArrayLike<number>,
    length: number,
  ): void {
    checkLength(name, value, length);
    this.instance.scoped((scope) => {
      const at = scope.bytes(8 * length);
      this.instance.module.HEAPF64.set(value, at >> 3);
      this.instance.check(call(this.owned.get(), handle, at));
    });
  }

  /**
   * Runs this many more iterations; returns the energy after them. Rigid joints are solved to the end; it then returns
   * the largest distance of a handle from its target.
   */
  step(iterations = 30): number {
    return this.instance.scoped((scope) => {
      const energy = scope.bytes(8);
      this.instance.check(this.instance.module._pelt_poser_step(this.owned.get(), iterations, energy));
      return this.instance.module.HEAPF64[energy >> 3];
    });
  }

  /** The energy after each iteration of the last step of a free pose; it never rises. */
  energies(): Float64Array {
    return this.instance.scoped((scope) => {
      const slot = scope.slot(),
        count = this.instance.module._pelt_poser_energies(this.owned.get(), slot),
        begin = scope.filled(slot) >> 3;
      return this.instance.module.HEAPF64.slice(begin, begin + count);
    });
  }

  /**
   * All transforms of a free pose, 16 numbers each, by columns, from where it starts to the pose: those of the joints of
   * all skins (of a mesh without joints: of its handles), then those of the extra weights, which are added to the blend
   * of the others.
   */
  transforms(): Float32Array {
    return this.instance.scoped((scope) => {
      const slot = scope.slot(),
        count = this.instance.module._pelt_poser_transforms(this.owned.get(), slot);
      return this.instance.floats(scope.filled(slot), 16 * count);
    });
  }

  /** The character with the clip that `pelt pose` makes of these handles as its first; only with rigid joints. */
  clip(options?: CallOptions): Character {
    return this.instance.long(options ?? {}, (call) =>
      this.instance.scoped((scope) => {
        const slot = scope.slot();
        this.instance.check(this.instance.module._pelt_poser_clip(this.owned.get(), call, slot));
        return this.make(scope.filled(slot));
      }),
    );
  }

  /** 16 numbers per joint, by columns, from rest space to posed space: what Deformer.evaluate takes. */
  matrices(): Float32Array {
    return this.instance.scoped((scope) => {
      const out = scope.bytes(64 * this.joints);
      this.instance.module._pelt_poser_matrices(this.owned.get(), out);
      return this.instance.floats(out, 16 * this.joints);
    });
  }

  /**
   * What is seen: the vertices in this pose, extra weights included.
   * @param positions three numbers per vertex, written into; none: an array of its own
   */
  positions(positions = new Float32Array(3 * this.character.vertexCount)): Float32Array {
    const [seen] = this.views.get();
    checkLength("positions", positions, seen.length);
    this.instance.check(this.instance.module._pelt_poser_positions(this.owned.get(), seen.byteOffset));
    positions.set(this.views.get()[0]); // the memory may have grown
    return positions;
  }

  dispose(): void {
    this.owned.dispose();
    this.memory.dispose();
    this.character.forget(this);
  }
}
