// The other side of CallsInWorker: loads the character it is sent, runs one verb on it, sends back what was made.
import { createInstance, loadBytes } from "./create.js";
import { PeltError } from "./error.js";
import { makeHere } from "./long_calls.js";
import { importOfNode, inNode } from "./platform.js";

type Post = (message: unknown, transfer?: ArrayBuffer[]) => void;

const ready = createInstance();

async function answer(message: any, post: Post): Promise<void> {
  try {
    const instance = await ready;
    const onProgress = (fraction: number, stage: string) => post({ progress: true, fraction, stage });
    const character = message.bytes ? loadBytes(instance, message.bytes, undefined, {}) : 0;
    try {
      const options = { ...JSON.parse(message.options ?? "{}"), onProgress };
      const made = makeHere(instance, message.verb, character, message.extras, options);
      post({ made }, [made.bytes.buffer as ArrayBuffer]);
    } finally {
      if (character !== 0) instance.module._pelt_character_free(character);
    }
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    post({ error: told, code: error instanceof PeltError ? error.code : undefined });
  }
}

async function listenInNode(): Promise<void> {
  const { parentPort } = await importOfNode("node:worker_threads");
  parentPort.on("message", (message: any) =>
    answer(message, (answered, transfer) => parentPort.postMessage(answered, transfer ?? [])));
}

function listenInBrowser(): void {
  const scope = self as unknown as { postMessage(message: unknown, transfer: ArrayBuffer[]): void };
  self.addEventListener("message", (event) =>
    answer((event as MessageEvent).data, (answered, transfer) => scope.postMessage(answered, transfer ?? [])));
}

if (inNode) void listenInNode();
else listenInBrowser();
