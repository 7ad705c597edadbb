// The other side of VerbWorker: runs one verb on what it is sent, sends back what was made.
import { createInstance } from "./create.js";
import { PeltError } from "./error.js";
import type { CallOptions } from "./instance.js";
import { importOfNode, inNode } from "./platform.js";
import { prepareSent } from "./prepare.js";
import { runSent } from "./run_verb.js";
import type { VerbResult } from "./types.js";
import type { PrepareRequest, VerbAnswer, VerbRequest } from "./verb_worker.js";

type Post = (answer: VerbAnswer, transfer?: ArrayBuffer[]) => void;

const ready = createInstance();

async function answer(request: VerbRequest | PrepareRequest, post: Post): Promise<void> {
  try {
    const instance = await ready;
    const onProgress = (fraction: number, stage: string) => post({ progress: { fraction, stage } });
    const made =
      "handles" in request
        ? prepareSent(instance, request, { onProgress })
        : runSent(instance, request.verb, request.input, { ...request.options, onProgress } as CallOptions);
    post({ made }, buffersOf(made));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    post({ error: { message, code: error instanceof PeltError ? error.code : undefined } });
  }
}

/** The arrays of a result, which are moved rather than copied. */
function buffersOf(made: VerbResult | Uint8Array): ArrayBuffer[] {
  const arrays = made instanceof Uint8Array ? [made] : Object.values(made).flat().filter(ArrayBuffer.isView);
  return arrays.map(({ buffer }) => buffer as ArrayBuffer);
}

async function listenInNode(): Promise<void> {
  const { parentPort } = await importOfNode("node:worker_threads");
  parentPort.on("message", (request: VerbRequest | PrepareRequest) =>
    answer(request, (message, transfer) => parentPort.postMessage(message, transfer ?? [])),
  );
}

function listenInBrowser(): void {
  const scope = self as unknown as { postMessage(message: unknown, transfer: ArrayBuffer[]): void };
  self.addEventListener("message", (event) =>
    answer((event as MessageEvent).data, (message, transfer) => scope.postMessage(message, transfer ?? [])),
  );
}

if (inNode) void listenInNode();
else listenInBrowser();
