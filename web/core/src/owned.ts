// Handles and memory of the library that objects of JavaScript hold.
import { PeltError } from "./error.js";
import type { Instance } from "./instance.js";

/** Frees what a forgotten object holds; dispose() is still the way to free it at once. */
const forgotten = new FinalizationRegistry<() => void>((free) => free());

/** A handle of the library with its one way to be freed. */
export class Owned {
  private pointer: number;

  constructor(
    pointer: number,
    private readonly what: string,
    private readonly release: (pointer: number) => void,
  ) {
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

export function own(owner: object, pointer: number, what: string, release: (pointer: number) => void): Owned {
  const owned = new Owned(pointer, what, release);
  forgotten.register(owner, () => owned.dispose(), owned);
  return owned;
}

export function checkLength(name: string, array: ArrayLike<number>, length: number): void {
  if (array.length !== length)
    throw new PeltError("bad_usage", `${name} has ${array.length} numbers; ${length} are needed`);
}

/**
 * Arrays one after the other in the library's memory. They are made anew when the memory has grown, which detaches
 * them.
 */
export class Views {
  private arrays: Float32Array[] = [];

  constructor(
    private readonly instance: Instance,
    private readonly pointer: number,
    private readonly lengths: number[],
  ) {}

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
