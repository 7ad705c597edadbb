import type { Character } from "./character.js";
import type { Instance } from "./instance.js";
import { checkLength, own, Owned, Views } from "./owned.js";

/** A method prepared for one character. */
export class Deformer {
  private readonly owned: Owned;
  private readonly memory: Owned;
  private readonly views: Views;

  /** @internal Use Character.deformer. */
  constructor(
    private readonly instance: Instance,
    pointer: number,
    vertices: number,
    joints: number,
    private readonly character: Character,
  ) {
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
    this.instance.check(
      this.instance.module._pelt_deformer_evaluate(
        this.owned.get(),
        input.byteOffset,
        places.byteOffset,
        normals ? turns.byteOffset : 0,
      ),
    );
    positions.set(places);
    normals?.set(turns);
  }

  /**
   * What `pelt deform` writes at a moment of a clip: joints, morph targets, and props that move with other nodes.
   * @param clip as for Character.skinMatrices
   */
  evaluateAt(
    clip: string | number | undefined,
    seconds: number,
    positions: Float32Array,
    normals?: Float32Array,
  ): void {
    let [, places, turns] = this.views.get();
    checkLength("positions", positions, places.length);
    if (normals) checkLength("normals", normals, turns.length);
    this.instance.scoped((scope) => {
      const name = scope.string(clip === undefined ? undefined : String(clip));
      this.instance.check(
        this.instance.module._pelt_deformer_evaluate_at(
          this.owned.get(),
          name,
          seconds,
          places.byteOffset,
          normals ? turns.byteOffset : 0,
        ),
      );
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
      const bytes = scope.slot(),
        size = scope.slot();
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
