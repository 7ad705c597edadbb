import type { AnyWorker } from "./long_calls.js";

/** Node and browsers differ in how a file beside this one is read and how a worker starts. */
export const inNode = typeof process !== "undefined" && process.versions?.node !== undefined;

declare const process: { versions?: { node?: string } } | undefined;

export async function readBeside(name: string): Promise<Uint8Array> {
  const url = new URL(name, import.meta.url);
  if (inNode && url.protocol === "file:") {
    const { readFile } = await import(/* @vite-ignore */ "node:fs/promises" as string);
    return new Uint8Array(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href}: ${response.status} ${response.statusText}`);
  return new Uint8Array(await response.arrayBuffer());
}

export async function startWorker(): Promise<AnyWorker> {
  if (inNode) {
    const { Worker: NodeWorker } = await import(/* @vite-ignore */ "node:worker_threads" as string);
    const worker = new NodeWorker(new URL("./worker.js", import.meta.url));
    worker.unref();
    return {
      post: (message, transfer) => {
        worker.ref();
        worker.postMessage(message, transfer);
      },
      onMessage: (listener) => worker.on("message", (message: any) => {
        if (!message.progress) worker.unref();
        listener(message);
      }),
      onError: (listener) => worker.on("error", listener),
      terminate: () => void worker.terminate(),
    };
  }
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    onMessage: (listener) => worker.addEventListener("message", (event) => listener(event.data)),
    onError: (listener) => worker.addEventListener("error", (event) => listener(new Error(event.message))),
    terminate: () => worker.terminate(),
  };
}
