import { createPelt, type Pelt } from "@pelt/core";
import wasmUrl from "@pelt/core/pelt.wasm?url";

/** Pelt in this worker. */
export async function startPelt(): Promise<Pelt> {
  const answer = await fetch(wasmUrl);
  if (!answer.ok) throw new Error(`pelt.wasm cannot be fetched (${answer.status}); reload the page`);
  return createPelt({ wasmBinary: new Uint8Array(await answer.arrayBuffer()) });
}
