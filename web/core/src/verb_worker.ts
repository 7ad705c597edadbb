import { abortError, PeltError } from "./error.js";
import type { CallOptions } from "./instance.js";
import type { GivenInput, VerbInput } from "./run_verb.js";
import { type AnyWorker, startWorker } from "./start_worker.js";
import type { VerbResult } from "./types.js";

/** What the worker is sent. */
export interface VerbRequest {
  verb: string;
  input: VerbInput | GivenInput[];
  options: Record<string, unknown>;
}

/** Or what it prepares for a poser: handles of a character. */
export interface PrepareRequest {
  bytes: Uint8Array;
  options: string | undefined;
  handles: string;
}

/** What the worker sends: reports of progress, then what was made or why not. */
export type VerbAnswer =
  | { progress: { fraction: number; stage: string } }
  | { made: VerbResult | Uint8Array }
  | { error: { message: string; code?: PeltError["code"] } };

interface Pending {
  answer: (answer: VerbAnswer) => void;
  fail: (error: unknown) => void;
}

/**
 * Verbs in a worker, one after the other. An abort ends the worker at once, whatever it is doing; the next verb starts
 * another one.
 */
export class VerbWorker {
  private worker: AnyWorker | undefined;
  private pending: Pending | undefined;
  private last: Promise<unknown> = Promise.resolve();

  /** Options are those of the verb, with `onProgress` and `signal`. */
  run(verb: string, input: VerbInput | GivenInput[], options: CallOptions): Promise<VerbResult> {
    const { onProgress, signal, ...own } = options;
    return this.queue({ verb, input, options: own }, { onProgress, signal }) as Promise<VerbResult>;
  }

  /** What a poser takes in place of preparing it itself. */
  prepare(request: PrepareRequest, options: CallOptions): Promise<Uint8Array> {
    return this.queue(request, options) as Promise<Uint8Array>;
  }

  private queue(request: VerbRequest | PrepareRequest, options: CallOptions): Promise<VerbResult | Uint8Array> {
    const made = this.last.then(() => this.runNow(request, options));
    this.last = made.catch(() => undefined);
    return made;
  }

  /** Ends the worker. The verb that runs is aborted. */
  dispose(): void {
    this.stop();
    this.pending?.fail(abortError());
  }

  private async runNow(
    request: VerbRequest | PrepareRequest,
    { onProgress, signal }: CallOptions,
  ): Promise<VerbResult | Uint8Array> {
    if (signal?.aborted) throw abortError();
    const worker = (this.worker ??= await this.start());
    if (signal?.aborted) throw abortError();
    return new Promise((resolve, reject) => {
      const done = (settle: () => void) => {
        signal?.removeEventListener("abort", abort);
        this.pending = undefined;
        settle();
      };
      const fail = (error: unknown) => {
        this.stop();
        done(() => reject(error));
      };
      const abort = () => fail(abortError());
      const answer = (message: VerbAnswer) => {
        if ("progress" in message) onProgress?.(message.progress.fraction, message.progress.stage);
        else if ("made" in message) done(() => resolve(message.made));
        else done(() => reject(errorOf(message.error)));
      };
      this.pending = { answer, fail };
      signal?.addEventListener("abort", abort);
      worker.post(request);
    });
  }

  private async start(): Promise<AnyWorker> {
    const worker = await startWorker();
    worker.onMessage((answer) => this.pending?.answer(answer));
    worker.onError((error) => this.pending?.fail(error));
    return worker;
  }

  private stop(): void {
    this.worker?.terminate();
    this.worker = undefined;
  }
}

function errorOf({ message, code }: { message: string; code?: PeltError["code"] }): Error {
  return code ? new PeltError(code, message) : new Error(message);
}
