import { Appender, isGlb, readGlb } from "./glb.js";

/** A .gltf with its buffers and images as one .glb. `find` gives a file that it names. */
export function packGltf(text: string, find: (uri: string) => Uint8Array | undefined): Uint8Array {
  const json = JSON.parse(text);
  const buffers: Uint8Array[] = (json.buffers ?? []).map((buffer: any) => resource(buffer.uri, find));
  const offsets: number[] = [];
  let size = 0;
  for (const buffer of buffers) {
    offsets.push(size);
    size += Math.ceil(buffer.length / 4) * 4;
  }
  const bin = new Uint8Array(size);
  buffers.forEach((buffer, i) => bin.set(buffer, offsets[i]));
  for (const view of json.bufferViews ?? []) {
    view.byteOffset = (view.byteOffset ?? 0) + (offsets[view.buffer] ?? 0);
    view.buffer = 0;
  }
  json.buffers = [{ byteLength: size }];
  const appender = new Appender({ json, bin });
  for (const image of json.images ?? []) {
    if (!image.uri) continue;
    const bytes = tryResource(image.uri, find);
    if (!bytes) continue; // the character is shown without a missing texture
    image.mimeType ??= bytes[0] === 0x89 ? "image/png" : "image/jpeg";
    image.bufferView = appender.add(bytes);
    delete image.uri;
  }
  return appender.finish();
}

function tryResource(uri: string, find: (uri: string) => Uint8Array | undefined): Uint8Array | undefined {
  if (!uri.startsWith("data:")) return find(decodeURIComponent(uri));
  const text = atob(uri.slice(uri.indexOf(",") + 1));
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

function resource(uri: string | undefined, find: (uri: string) => Uint8Array | undefined): Uint8Array {
  const bytes = uri === undefined ? undefined : tryResource(uri, find);
  if (!bytes) throw new Error(`the file needs ${uri ?? "a buffer that it does not name"}; drop both together`);
  return bytes;
}

const compressions = ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];

/** Meshes that are compressed are unpacked; any other file comes back as it is. */
export async function decompressed(bytes: Uint8Array): Promise<Uint8Array> {
  if (!isGlb(bytes)) return bytes;
  const used: string[] = readGlb(bytes).json.extensionsRequired ?? [];
  if (!used.some((name) => compressions.includes(name))) return bytes;
  const { unpack } = await import("./unpack.js");
  return unpack(bytes);
}
