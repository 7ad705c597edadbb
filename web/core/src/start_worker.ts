import { importOfNode, inNode } from "./platform.js";

/** A worker of a browser or of Node, by the same few calls. */
export interface AnyWorker {
  post(message: unknown): void;
  onMessage(listener: (message: any) => void): void;
  onError(listener: (error: unknown) => void): void;
  terminate(): void;
}

export async function startWorker(): Promise<AnyWorker> {
  return inNode ? startInNode() : startInBrowser();
}

/** Node stays alive for a worker that works, not for one that waits. */
async function startInNode(): Promise<AnyWorker> {
  const { Worker: NodeWorker } = await importOfNode("node:worker_threads");
  const worker = new NodeWorker(new URL("./worker.js", import.meta.url));
  worker.unref();
  return {
    post: (message) => {
      worker.ref();
      worker.postMessage(message);
    },
    onMessage: (listener) =>
      worker.on("message", (message: any) => {
        if (!message.progress) worker.unref();
        listener(message);
      }),
    onError: (listener) => worker.on("error", listener),
    terminate: () => void worker.terminate(),
  };
}

function startInBrowser(): AnyWorker {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => worker.addEventListener("message", (event) => listener(event.data)),
    onError: (listener) => worker.addEventListener("error", (event) => listener(new Error(event.message))),
    terminate: () => worker.terminate(),
  };
}
