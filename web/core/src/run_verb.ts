// Runs a verb of the table by pelt_run: what is given becomes inputs and options, what was made is taken apart.
import { loadBytes } from "./create.js";
import { PeltError } from "./error.js";
import { type CallOptions, checkFrames, type Instance, type Scope, snakeCase } from "./instance.js";
import type { LongCalls } from "./long_calls.js";
import type { VerbResult } from "./types.js";
import type { InputRow, VerbRow } from "./table.js";

/** What is given for an input of the table; it can be sent to a worker, except for a handle. */
export interface GivenInput {
  /** The input's name in the table. */
  name: string;
  /** A handle of the calling instance, */
  character?: number;
  /** or the bytes of a character, */
  bytes?: Uint8Array;
  /** or positions, three numbers per vertex, frame by frame. */
  frames?: Float32Array;
  /** None: that of the first character. */
  vertexCount?: number;
  triangles?: Uint32Array;
  /** How messages name it. */
  file?: string;
}

/** The file that a verb works on, and its other inputs by their names in the table. */
export interface VerbInput {
  /** The bytes of a character. */
  bytes?: Uint8Array;
  /** How errors name it. */
  name?: string;
  /** Of `decompose`, with `rest` and `triangles`: three numbers per vertex, frame by frame. */
  frames?: Float32Array;
  rest?: Float32Array;
  triangles?: Uint32Array;
  [input: string]: unknown;
}

/** A picture of the table is a path: of bytes in memory, a data URI. */
function dataUri(bytes: Uint8Array, name: string | undefined): string {
  const type = bytes[0] === 0xff ? "image/jpeg" : "image/png",
    named = name ? `;name=${encodeURIComponent(name)}` : "";
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return `data:${type}${named};base64,${btoa(text)}`;
}

/** JSON rather than a file that holds it. */
const isJson = (row: InputRow | undefined) => row?.kind === "handles" || row?.kind === "limits";

/** A verb on this thread. */
export function runHere(instance: Instance, verb: string, inputs: GivenInput[], options: CallOptions): VerbResult {
  const loaded: number[] = [];
  try {
    const rows = rowOf(instance, verb)?.inputs ?? [];
    const handles = inputs.map((input) => {
      if (!input.bytes) return input;
      if (rows.find(({ name }) => name === input.name)?.kind === "picture")
        return { name: input.name, file: dataUri(input.bytes, input.file) };
      loaded.push(loadBytes(instance, input.bytes, input.file, {}));
      return { name: input.name, character: loaded.at(-1) };
    });
    const first = handles.find(({ character }) => character)?.character,
      vertexCount = first ? instance.module._pelt_vertex_count(first) : 0,
      given = handles.map((input) => (input.frames ? wholeFrames(input, input.vertexCount ?? vertexCount) : input));
    return instance.long(options, (call) =>
      instance.scoped((scope) => runOn(instance, scope, verb, given, options, call)),
    );
  } finally {
    for (const character of loaded) instance.module._pelt_character_free(character);
  }
}

function wholeFrames(input: GivenInput, vertexCount: number): GivenInput {
  const { name, file, frames, triangles } = input;
  checkFrames(file ?? name, frames!, 3 * vertexCount);
  if (triangles && triangles.length % 3 !== 0)
    throw new PeltError("bad_usage", `triangles has ${triangles.length} numbers; a triangle has 3`);
  return { ...input, vertexCount };
}

function runOn(
  instance: Instance,
  scope: Scope,
  verb: string,
  inputs: GivenInput[],
  options: CallOptions,
  call: number,
): VerbResult {
  const { module } = instance,
    row = rowOf(instance, verb),
    out = scope.slot(),
    name = scope.string(verb),
    given = writeInputs(scope, inputs),
    [chosen, count] = writeOptions(scope, row, options),
    progress = module.HEAPU32[(call >> 2) + 1];
  const status = module._pelt_run(name, given, inputs.length, chosen, count, progress, 0, out);
  const made = scope.filled(out);
  try {
    instance.check(status);
    return takeApart(instance, scope, row!, made);
  } finally {
    if (made !== 0) module._pelt_result_free(made);
  }
}

/** An array of pelt_input. */
function writeInputs(scope: Scope, inputs: GivenInput[]): number {
  const words = inputs.flatMap(({ name, character, frames, vertexCount = 0, triangles, file }) => [
    scope.string(name),
    character ?? 0,
    scope.string(file),
    frames ? scope.array(frames) : 0,
    frames ? frames.length / 3 / vertexCount : 0,
    vertexCount,
    triangles ? scope.array(triangles) : 0,
    triangles ? triangles.length / 3 : 0,
  ]);
  return scope.array(new Uint32Array(words));
}

/** An array of pelt_option, and how many they are. */
function writeOptions(scope: Scope, row: VerbRow | undefined, options: CallOptions): [number, number] {
  const given = Object.entries(options).flatMap(([key, value]) => {
    const name = snakeCase(key),
      json = isJson(row?.inputs.find((input) => input.name === name));
    return valuesOf(value, json).map((one): [string, string | number] => [name, one]);
  });
  const bytes = new DataView(new ArrayBuffer(16 * given.length));
  given.forEach(([name, value], i) => {
    bytes.setUint32(16 * i, scope.string(name), true);
    if (typeof value === "number") bytes.setFloat64(16 * i + 8, value, true);
    else bytes.setUint32(16 * i + 4, scope.string(value), true);
  });
  return [scope.array(new Uint8Array(bytes.buffer)), given.length];
}

/** Flags as numbers, lists as several values, `{ hand: 0.2 }` as "hand=0.2". */
function valuesOf(value: unknown, json: boolean): (string | number)[] {
  if (value === undefined || value === null || typeof value === "function" || value instanceof AbortSignal) return [];
  if (json && typeof value === "object") return [JSON.stringify(value)];
  if (Array.isArray(value)) return value.flatMap((one) => valuesOf(one, false));
  if (typeof value === "object") return Object.entries(value).map(([key, one]) => `${key}=${one}`);
  return [typeof value === "string" || typeof value === "number" ? value : Number(value)];
}

function takeApart(instance: Instance, scope: Scope, row: VerbRow, made: number): VerbResult {
  const { module } = instance,
    result: VerbResult = { report: JSON.parse(instance.text(module._pelt_result_report(made))) },
    [frames, vertices] = [scope.slot(), scope.slot()];
  for (const { name } of row.outputs) {
    const begin = module._pelt_result_frames_of(made, scope.string(name), frames, vertices);
    const count = 3 * scope.filled(frames) * scope.filled(vertices);
    if (begin !== 0) result[name === "output" ? "frames" : name] = instance.floats(begin, count);
  }
  const begin = module._pelt_result_bytes(made, frames);
  if (begin !== 0) result.bytes = module.HEAPU8.slice(begin, begin + scope.filled(frames));
  const characters: Uint8Array[] = [];
  for (let one; (one = module._pelt_result_character(made)) !== 0;) {
    try {
      characters.push(saveBytes(instance, scope, one));
    } finally {
      module._pelt_character_free(one);
    }
  }
  if (row.outputs[0]?.kind === "folder") result.levels = characters;
  else if (characters.length > 0) result.bytes = characters[0];
  return result;
}

/** A verb with its required inputs in the order of the table, then its options. */
export async function runGiven(
  instance: Instance,
  long: LongCalls,
  verb: string,
  given: unknown[],
): Promise<VerbResult> {
  const required = (rowOf(instance, verb)?.inputs ?? []).filter((row) => row.required),
    named = Object.fromEntries(required.map(({ name }, i) => [name, given[i]]));
  return runNamed(instance, long, verb, named, (given[required.length] ?? {}) as CallOptions);
}

/** A verb with its inputs by name; those that are not required may be among the options. */
export async function runNamed(
  instance: Instance,
  long: LongCalls,
  verb: string,
  named: Record<string, unknown>,
  options: CallOptions,
): Promise<VerbResult> {
  return long.run(verb, ...sorted(instance, verb, { ...named, ...options }));
}

/** The same of what a worker is sent. */
export function runSent(
  instance: Instance,
  verb: string,
  sent: VerbInput | GivenInput[],
  options: CallOptions,
): VerbResult {
  if (Array.isArray(sent)) return runHere(instance, verb, sent, options);
  const { bytes, name, frames, rest, triangles, ...named } = sent;
  if (bytes) named[rowOf(instance, verb)?.inputs[0].name ?? "character"] = { bytes, file: name };
  if (frames && rest) {
    named.sequence = { frames, vertexCount: rest.length / 3, triangles, file: name ?? "frames" };
    named.rest = { positions: rest, triangles };
  }
  return runHere(instance, verb, ...sorted(instance, verb, { ...named, ...options }));
}

const rowOf = (instance: Instance, verb: string) => instance.verbs.find(({ name }) => name === verb);

/** Characters, meshes and frames are inputs, the rest are options. */
function sorted(instance: Instance, verb: string, given: Record<string, unknown>): [GivenInput[], CallOptions] {
  const rows = rowOf(instance, verb)?.inputs,
    options: Record<string, unknown> = {},
    inputs: GivenInput[] = [];
  if (!rows) return [inputs, options]; // the library refuses the verb by its name
  for (const [key, value] of Object.entries(given)) {
    const row = rows.find(({ name }) => name === snakeCase(key));
    if (!row || isJson(row) || typeof value !== "object" || value === null) options[key] = value;
    else for (const one of Array.isArray(value) ? value : [value]) inputs.push(inputOf(row.name, one));
  }
  return [inputs, options];
}

function inputOf(name: string, value: any): GivenInput {
  if (value instanceof Uint8Array) return { name, bytes: value };
  if (value instanceof Float32Array) return { name, frames: value };
  if (value?.bytes instanceof Uint8Array || value?.frames instanceof Float32Array) return { ...value, name };
  if (value?.positions instanceof Float32Array) {
    const { positions, triangles } = value;
    return { name, frames: positions, vertexCount: positions.length / 3, triangles };
  }
  if (typeof value?.pointer === "number") return { name, character: value.pointer };
  throw new PeltError("bad_usage", `${name} is no character, no mesh, no frames and no picture`);
}

/** A character as the bytes of a .glb. */
export function saveBytes(instance: Instance, scope: Scope, character: number): Uint8Array {
  const bytes = scope.slot(),
    size = scope.slot();
  instance.check(instance.module._pelt_save_bytes(character, bytes, size));
  const begin = scope.take(bytes);
  return instance.module.HEAPU8.slice(begin, begin + scope.filled(size));
}
