import type { WasmModule } from "./instance.js";

/** Emscripten's loader, which build-wasm puts beside pelt.wasm. */
export default function load(options: { wasmBinary: Uint8Array }): Promise<WasmModule>;
