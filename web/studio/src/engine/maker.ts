import { proxy, type Remote, wrap } from "comlink";
import type { MadeFile, Maker, MakeRequest } from "./maker.worker.js";

export type { MadeFile, MakeRequest, MakingVerb } from "./maker.worker.js";
export type OnProgress = (fraction: number, stage: string) => void;

/** Runs long verbs in a worker of their own, one after the other. Stopping one ends the worker. */
export class MakerClient {
  private worker: Worker | undefined;
  private remote: Remote<Maker> | undefined;
  private last: Promise<unknown> = Promise.resolve();

  run(request: MakeRequest, onProgress: OnProgress, signal: AbortSignal): Promise<MadeFile> {
    const run = this.last.then(() => this.start(request, onProgress, signal));
    this.last = run.catch(() => undefined);
    return run;
  }

  private start(request: MakeRequest, onProgress: OnProgress, signal: AbortSignal): Promise<MadeFile> {
    signal.throwIfAborted();
    const stopped = new Promise<never>((_, reject) => {
      signal.addEventListener(
        "abort",
        () => {
          this.end();
          reject(signal.reason);
        },
        { once: true },
      );
    });
    return Promise.race([this.ready().make(request, proxy(onProgress)), stopped]);
  }

  private ready(): Remote<Maker> {
    if (!this.remote) {
      this.worker = new Worker(new URL("./maker.worker.ts", import.meta.url), { type: "module" });
      this.remote = wrap<Maker>(this.worker);
    }
    return this.remote;
  }

  private end(): void {
    this.worker?.terminate();
    this.worker = undefined;
    this.remote = undefined;
  }
}
