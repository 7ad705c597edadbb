import { Instance, type CallOptions } from "./instance.js";
import { inNode, importOfNode } from "./platform.js";
import load from "./wasm.js";

/** The literal address lets bundlers find the file and put it beside what they make. */
async function readWasm(): Promise<Uint8Array> {
  const url = new URL("./pelt.wasm", import.meta.url);
  if (inNode && url.protocol === "file:") {
    const { readFile } = await importOfNode("node:fs/promises");
    return new Uint8Array(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href}: ${response.status} ${response.statusText}`);
  return new Uint8Array(await response.arrayBuffer());
}

export async function createInstance(wasmBinary?: Uint8Array): Promise<Instance> {
  return new Instance(await load({ wasmBinary: wasmBinary ?? (await readWasm()) }));
}

/** A character's handle. */
export function loadBytes(
  instance: Instance,
  bytes: Uint8Array,
  name: string | undefined,
  options: CallOptions,
): number {
  return instance.long(options, (call) =>
    instance.scoped((scope) => {
      const slot = scope.slot(),
        given = scope.array(bytes);
      instance.check(instance.module._pelt_load_bytes(given, bytes.byteLength, scope.string(name), call, slot));
      return scope.filled(slot);
    }),
  );
}
