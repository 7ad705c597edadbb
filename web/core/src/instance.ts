import { PeltError, abortError } from "./error.js";
import type { VerbRow, VerbTable } from "./table.js";

/** What Emscripten's loader gives: the memory, and the C interface (bindings/c) with an underscore before each name. */
export interface WasmModule {
  HEAPU8: Uint8Array;
  HEAPU32: Uint32Array;
  HEAPF32: Float32Array;
  HEAPF64: Float64Array;
  UTF8ToString(pointer: number): string;
  lengthBytesUTF8(text: string): number;
  stringToUTF8(text: string, pointer: number, size: number): void;
  onProgress?: (stage: string, fraction: number) => boolean;
  [name: `_${string}`]: (...values: number[]) => number;
}

const CANCELLED = 130;

/** Where a long call reports to. */
export interface CallOptions {
  /** Called with the fraction done, 0 to 1, and the name of the stage. */
  onProgress?: (fraction: number, stage: string) => void;
  /** Ends the call with an AbortError. Without a worker it is looked at whenever progress is reported. */
  signal?: AbortSignal;
}

/** One instance of the library: moves values in and out of its memory and turns statuses into exceptions. */
export class Instance {
  private table: VerbTable | undefined;

  constructor(readonly module: WasmModule) {}

  /** The table of verbs. */
  get verbs(): VerbRow[] {
    return (this.table ??= JSON.parse(this.text(this.module._pelt_verbs())) as VerbTable).verbs;
  }

  /** Memory that lives as long as `work`: every pointer that it allocates is freed afterwards. */
  scoped<T>(work: (scope: Scope) => T): T {
    const scope = new Scope(this);
    try {
      return work(scope);
    } finally {
      scope.free();
    }
  }

  check(status: number): void {
    if (status === 0) return;
    if (status === CANCELLED) throw abortError();
    throw PeltError.of(status, this.module.UTF8ToString(this.module._pelt_error_message()));
  }

  /** Runs a long call with its progress; `work` is given the pointer to the call's options. */
  long<T>(options: CallOptions, work: (call: number) => T): T {
    const { onProgress, signal } = options;
    if (signal?.aborted) throw abortError();
    this.module.onProgress = (stage, fraction) => {
      onProgress?.(fraction, stage);
      return !signal?.aborted;
    };
    try {
      return work(this.module._pelt_web_call());
    } finally {
      this.module.onProgress = undefined;
    }
  }

  /** Memory that the caller frees. */
  allocate(size: number): number {
    const pointer = this.module._malloc(Math.max(size, 1));
    if (pointer === 0) throw new PeltError("system", "not enough memory");
    return pointer;
  }

  text(pointer: number): string {
    return this.module.UTF8ToString(pointer);
  }

  floats(pointer: number, count: number): Float32Array {
    return this.module.HEAPF32.slice(pointer >> 2, (pointer >> 2) + count);
  }

  integers(pointer: number, count: number): Uint32Array {
    return this.module.HEAPU32.slice(pointer >> 2, (pointer >> 2) + count);
  }
}

/** Temporary memory of one call. */
export class Scope {
  private readonly pointers: number[] = [];
  private readonly owned: number[] = [];

  private readonly module: WasmModule;

  constructor(private readonly instance: Instance) {
    this.module = instance.module;
  }

  bytes(size: number): number {
    const pointer = this.instance.allocate(size);
    this.pointers.push(pointer);
    return pointer;
  }

  /** A pointer to a C string; 0 for none. */
  string(text: string | undefined): number {
    if (text === undefined) return 0;
    const size = this.module.lengthBytesUTF8(text) + 1;
    const pointer = this.bytes(size);
    this.module.stringToUTF8(text, pointer, size);
    return pointer;
  }

  array(values: Float32Array | Uint32Array | Uint8Array): number {
    const pointer = this.bytes(values.byteLength);
    this.module.HEAPU8.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), pointer);
    return pointer;
  }

  /** A slot that a call fills with a pointer or a size. */
  slot(): number {
    const pointer = this.bytes(8);
    this.module.HEAPU32[pointer >> 2] = 0;
    return pointer;
  }

  filled(slot: number): number {
    return this.module.HEAPU32[slot >> 2];
  }

  /** What a call allocated for its caller: freed with the scope. */
  take(slot: number): number {
    const pointer = this.filled(slot);
    this.owned.push(pointer);
    return pointer;
  }

  free(): void {
    for (const pointer of this.pointers) this.module._free(pointer);
    for (const pointer of this.owned) this.module._pelt_free(pointer);
  }
}

/** A name of an option as the library spells it. */
export const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** camelCase names of options as the library spells them; onProgress and signal stay here. */
export function toOptions(options: object | undefined): string | undefined {
  if (!options) return undefined;
  const named: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options)) {
    if (name === "onProgress" || name === "signal" || value === undefined) continue;
    named[snakeCase(name)] = value;
  }
  return JSON.stringify(named);
}

/** Checks that an array holds whole frames of `frame` numbers. */
export function checkFrames(name: string, array: Float32Array, frame: number): void {
  if (frame === 0 || frame % 3 !== 0 || array.length === 0 || array.length % frame !== 0)
    throw new PeltError("bad_usage", `${name} has ${array.length} numbers; a frame has ${frame}`);
}
