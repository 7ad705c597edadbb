import type { CallOptions, Instance } from "./instance.js";
import { runHere, saveBytes, type GivenInput } from "./run_verb.js";
import type { VerbResult } from "./types.js";
import { VerbWorker } from "./verb_worker.js";

/** Where long calls run: here, or in a worker. */
export interface LongCalls {
  run(verb: string, inputs: GivenInput[], options: CallOptions): Promise<VerbResult>;
  /** What a poser of the character prepares for handles. Null: it does so itself, here. */
  prepare(
    character: number,
    poser: string | undefined,
    handles: string,
    options: CallOptions,
  ): Promise<Uint8Array | null>;
  dispose(): void;
}

/** Long calls on the calling thread: the promise is settled when the call returns. */
export class CallsHere implements LongCalls {
  constructor(private readonly instance: Instance) {}

  async run(verb: string, inputs: GivenInput[], options: CallOptions): Promise<VerbResult> {
    return runHere(this.instance, verb, inputs, options);
  }

  async prepare(): Promise<null> {
    return null;
  }

  dispose(): void {}
}

/** Long calls in a worker, which is sent characters as files. */
export class CallsInWorker implements LongCalls {
  private readonly worker = new VerbWorker();

  constructor(private readonly instance: Instance) {}

  run(verb: string, inputs: GivenInput[], options: CallOptions): Promise<VerbResult> {
    const { instance } = this;
    const sent = inputs.map(({ character, ...input }) =>
      character === undefined
        ? input
        : { ...input, bytes: instance.scoped((scope) => saveBytes(instance, scope, character)) },
    );
    return this.worker.run(verb, sent, options);
  }

  prepare(character: number, poser: string | undefined, handles: string, options: CallOptions): Promise<Uint8Array> {
    const { instance } = this,
      bytes = instance.scoped((scope) => saveBytes(instance, scope, character));
    return this.worker.prepare({ bytes, options: poser, handles }, options);
  }

  dispose(): void {
    this.worker.dispose();
  }
}
