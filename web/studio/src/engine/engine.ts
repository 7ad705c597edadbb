import { type Remote, wrap } from "comlink";
import type { Engine } from "./engine.worker.js";

export type RemoteEngine = Remote<Engine>;

/** Starts the worker that computes what is shown. */
export function startEngine(): RemoteEngine {
  return wrap<Engine>(new Worker(new URL("./engine.worker.ts", import.meta.url), { type: "module" }));
}
