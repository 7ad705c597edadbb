import { type App, sentence } from "./app.js";
import { outputName } from "./commands.js";
import type { MadeFile, MakingVerb } from "./engine/maker.js";
import type { RestMesh } from "@pelt/core";

/** A verb that runs, as the page shows it. */
export interface Run {
  verb: MakingVerb;
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
export async function make(app: App, verb: MakingVerb, options: Record<string, unknown>): Promise<MadeFile> {
  if (!app.file && verb !== "decompose") throw new Error(`open a character to ${verb} first`);
  const stop = new AbortController();
  const { onProgress, signal, ...own } = options as any;
  signal?.addEventListener("abort", () => stop.abort(signal.reason));
  const request = {
    verb,
    name: app.file?.name ?? "character.glb",
    options: verb === "pose" ? { ...app.pose.options(), ...own } : own,
    ...(verb === "decompose"
      ? sequenceInput(app)
      : { bytes: app.bytesWithMaps(), ...(verb === "fit" ? { frames: examples(app) } : {}) }),
    ...(verb === "pose" ? { handles: app.pose.file() } : {}),
  };
  const run: Run = { verb, fraction: 0, stage: "start", stop };
  running = run;
  changed();
  try {
    return await app.maker.run(
      request,
      (fraction, stage) => {
        Object.assign(run, { fraction, stage });
        onProgress?.(fraction, stage);
        changed();
      },
      stop.signal,
    );
  } finally {
    if (running === run) running = null;
    changed();
  }
}

/** The same from a button: errors are told, the result is kept. */
export async function runVerb(app: App, verb: MakingVerb, options: Record<string, unknown>): Promise<void> {
  app.tell(null);
  try {
    const made = await make(app, verb, options);
    await app.setResult({ name: outputName(app, verb), ...made });
    app.store.change({ activity: "make" });
  } catch (error) {
    if ((error as Error)?.name !== "AbortError") app.tell(sentence(error));
    else app.tell("Stopped.", "info");
  }
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

function sequenceInput(app: App): { frames: Float32Array; rest: RestMesh } {
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
    frames: sequence.frames,
    rest: { positions: own ? first : shared!.positions, triangles: own ?? shared!.triangles },
  };
}
