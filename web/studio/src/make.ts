import type { VerbInput, VerbResult, VerbRow } from "@pelt/core";
import { type App, sentence } from "./app.js";
import { outputName } from "./commands.js";
import { writeNpy } from "./file/sequences.js";
import { camelCase, labelOf, needs, readsFile, readsSequence } from "./verbs.js";

/** A verb that runs, as the page shows it. */
export interface Run {
  verb: string;
  fraction: number;
  stage: string;
  stop: AbortController;
}

let running: Run | null = null;
const listeners = new Set<() => void>();

export const currentRun = () => running;
export function onRun(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function changed(): void {
  for (const listener of listeners) listener();
}

/** Runs a verb on the open file; what it makes becomes the result. Throws what Pelt refuses. */
export async function make(app: App, verb: string, options: Record<string, unknown>): Promise<VerbResult> {
  const row = (await app.verbs).find(({ name }) => name === verb);
  if (!app.file && (!row || readsFile(row))) throw new Error(`open a character to ${verb} first`);
  const stop = new AbortController();
  const { onProgress, signal, ...own } = options as any;
  signal?.addEventListener("abort", () => stop.abort(signal.reason));
  const input = row ? inputOf(app, row, own) : {};
  const run: Run = { verb, fraction: 0, stage: "start", stop };
  running = run;
  changed();
  try {
    return await app.maker.run(verb, input, {
      ...(row && needs(row, "handles") ? app.pose.options() : {}),
      ...own,
      signal: stop.signal,
      onProgress: (fraction: number, stage: string) => {
        Object.assign(run, { fraction, stage });
        onProgress?.(fraction, stage);
        changed();
      },
    });
  } finally {
    if (running === run) running = null;
    changed();
  }
}

/** What a verb works on: the open file, the dropped sequence, the handles, files that were chosen for it. */
function inputOf(app: App, row: VerbRow, options: Record<string, unknown>): VerbInput {
  const input: VerbInput = readsFile(row) ? { bytes: app.bytesWithMaps(), name: app.file!.name } : {};
  if (readsSequence(row)) Object.assign(input, readsFile(row) ? { examples: examples(app) } : sequenceInput(app));
  if (needs(row, "handles")) input.handles = JSON.stringify(app.pose.file());
  for (const { kind, name } of row.inputs.slice(1).filter(({ required }) => required))
    if (["character", "any"].includes(kind) && !options[camelCase(name)])
      throw new Error(`choose the file for "${labelOf({ name })}" first`);
  return input;
}

/** The same from a button: errors are shown, the result is kept. */
export async function runVerb(app: App, verb: string, options: Record<string, unknown>): Promise<void> {
  app.tell(null);
  try {
    const made = await make(app, verb, options),
      { levels, report } = made;
    await app.setResult({ name: outputName(app, verb), bytes: bytesOf(made), levels, report });
    app.store.change({ activity: "make" });
  } catch (error) {
    if ((error as Error)?.name !== "AbortError") app.tell(sentence(error));
    else app.tell("Stopped.", "info");
  }
}

/** The file that is downloaded: a character, positions as .npy, or the report. */
function bytesOf({ bytes, levels, frames, report }: VerbResult): Uint8Array {
  if (frames) return writeNpy(frames, [frames.length / 3 / report.vertices, report.vertices, 3]);
  return bytes ?? levels?.[0] ?? new TextEncoder().encode(`${JSON.stringify(report, null, 2)}\n`);
}

const sequenceFormats = ".npy, .pc2, .mdd, a .glb with morph targets or several .obj";

function examples({ sequence, loaded, file }: App): Float32Array {
  if (!sequence) throw new Error(`drop the example meshes first, one per pose: ${sequenceFormats}`);
  if (sequence.vertexCount !== loaded?.vertexCount)
    throw new Error(
      `${sequence.name}: has ${sequence.vertexCount} vertices, ${file?.name} has ${loaded?.vertexCount};` +
        " drop examples of the open character",
    );
  return sequence.frames;
}

function sequenceInput(app: App): VerbInput {
  const { sequence, loaded } = app;
  if (!sequence) throw new Error(`drop a mesh sequence first: ${sequenceFormats}`);
  const own = sequence.triangles;
  const shared = loaded && loaded.vertexCount === sequence.vertexCount ? loaded : null;
  if (!own && !shared)
    throw new Error(
      `${sequence.name} has no faces: drop it together with a mesh (.obj) of its ${sequence.vertexCount} vertices`,
    );
  const first = sequence.rest ?? sequence.frames.slice(0, 3 * sequence.vertexCount);
  return {
    name: sequence.name,
    frames: sequence.frames,
    rest: own ? first : shared!.positions,
    triangles: own ?? shared!.triangles,
  };
}
