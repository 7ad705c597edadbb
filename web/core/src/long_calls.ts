import { saveBytes } from "./character.js";
import { abortError, PeltError } from "./error.js";
import { checkFrames, Instance, Scope, toOptions, type CallOptions } from "./instance.js";
import type { Made } from "./types.js";

/** What verbs take beside a character and options. */
export interface Extras {
  examples?: Float32Array;
  handles?: string;
  frames?: Float32Array;
  rest?: Float32Array;
  triangles?: Uint32Array;
}

export type MakingVerb = "mush" | "bake" | "bind" | "clean" | "limit" | "mirror" | "fit" | "pose" |
  "decompose";

/** Where long calls run: here, or in a worker. `character` is a handle of the instance that asks; 0 for none. */
export interface LongCalls {
  make(verb: MakingVerb, character: number, extras: Extras, options: CallOptions): Promise<Made>;
  dispose(): void;
}

/** A verb on this thread. */
export function makeHere(instance: Instance, verb: MakingVerb, character: number, extras: Extras,
                         options: CallOptions): Made {
  return instance.long(options, (call) => instance.scoped((scope) => {
    const result = scope.slot(), report = scope.slot();
    const text = scope.string(toOptions(options) ?? "{}");
    instance.check(callVerb(instance, scope, verb, character, extras, text, call, result, report));
    const made = scope.filled(result);
    try {
      return { bytes: saveBytes(instance, scope, made), report: JSON.parse(instance.text(scope.take(report))) };
    } finally {
      instance.module._pelt_character_free(made);
    }
  }));
}

function callVerb(instance: Instance, scope: Scope, verb: MakingVerb, character: number, extras: Extras, text: number,
                  call: number, result: number, report: number): number {
  const { module } = instance;
  if (verb === "fit") {
    const vertices = module._pelt_vertex_count(character), examples = extras.examples!;
    checkFrames("examples", examples, 3 * vertices);
    return module._pelt_fit(character, scope.array(examples), examples.length / (3 * vertices), text, call, result,
                            report);
  }
  if (verb === "pose") return module._pelt_pose(character, scope.string(extras.handles), text, call, result, report);
  if (verb === "decompose") {
    const frames = extras.frames!, rest = extras.rest!, triangles = extras.triangles!;
    checkFrames("frames", frames, rest.length);
    if (triangles.length % 3 !== 0)
      throw new PeltError("bad_usage", `triangles has ${triangles.length} numbers; a triangle has 3`);
    return module._pelt_decompose(scope.array(frames), frames.length / rest.length, rest.length / 3, scope.array(rest),
                                  scope.array(triangles), triangles.length / 3, text, call, result, report);
  }
  return module[`_pelt_${verb}`](character, text, call, result, report);
}

/** Long calls on the calling thread: the promise is settled when the call returns. */
export class CallsHere implements LongCalls {
  constructor(private readonly instance: Instance) {}

  async make(verb: MakingVerb, character: number, extras: Extras, options: CallOptions): Promise<Made> {
    return makeHere(this.instance, verb, character, extras, options);
  }

  dispose(): void {}
}

/** A worker of a browser or of Node, by the same few calls. */
export interface AnyWorker {
  post(message: unknown, transfer: ArrayBuffer[]): void;
  onMessage(listener: (message: any) => void): void;
  onError(listener: (error: unknown) => void): void;
  terminate(): void;
}

interface Pending {
  settle: (message: any) => void;
  fail: (error: unknown) => void;
}

/**
 * Long calls in a worker, one after the other. An abort ends the worker at once, whatever it is doing; the next call
 * starts another one.
 */
export class CallsInWorker implements LongCalls {
  private worker: AnyWorker | undefined;
  private pending: Pending | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly instance: Instance, private readonly start: () => Promise<AnyWorker>) {}

  make(verb: MakingVerb, character: number, extras: Extras, options: CallOptions): Promise<Made> {
    const bytes = character === 0 ? undefined
                                  : this.instance.scoped((scope) => saveBytes(this.instance, scope, character));
    const run = this.last.then(() => this.run(verb, bytes, extras, options));
    this.last = run.catch(() => undefined);
    return run;
  }

  private async run(verb: MakingVerb, bytes: Uint8Array | undefined, extras: Extras,
                    options: CallOptions): Promise<Made> {
    const { onProgress, signal } = options;
    if (signal?.aborted) throw abortError();
    const worker = await this.ready();
    return new Promise<Made>((resolve, reject) => {
      const abort = () => {
        this.stop();
        done(() => reject(abortError()));
      };
      const done = (settle: () => void) => {
        signal?.removeEventListener("abort", abort);
        this.pending = undefined;
        settle();
      };
      this.pending = {
        settle: (message) => {
          if (message.progress) onProgress?.(message.fraction, message.stage);
          else if (message.made) done(() => resolve(message.made));
          else done(() => reject(message.code ? new PeltError(message.code, message.error) : new Error(message.error)));
        },
        fail: (error) => {
          this.stop();
          done(() => reject(error));
        },
      };
      signal?.addEventListener("abort", abort);
      worker.post({ verb, bytes, extras, options: toOptions(options) }, bytes ? [bytes.buffer as ArrayBuffer] : []);
    });
  }

  private async ready(): Promise<AnyWorker> {
    if (this.worker) return this.worker;
    const worker = await this.start();
    worker.onMessage((message) => this.pending?.settle(message));
    worker.onError((error) => this.pending?.fail(error));
    return (this.worker = worker);
  }

  private stop(): void {
    this.worker?.terminate();
    this.worker = undefined;
  }

  dispose(): void {
    this.stop();
    this.pending?.fail(abortError());
  }
}
