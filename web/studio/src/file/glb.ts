/** The two parts of a .glb, and back. */
export interface Glb {
  json: any;
  bin: Uint8Array;
}

const magic = 0x46546c67,
  jsonType = 0x4e4f534a,
  binType = 0x004e4942;

export function isGlb(bytes: Uint8Array): boolean {
  return bytes.length >= 12 && new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) === magic;
}

export function readGlb(bytes: Uint8Array): Glb {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let json: any = null,
    bin = new Uint8Array(0);
  for (let at = 12; at + 8 <= bytes.length;) {
    const length = view.getUint32(at, true),
      type = view.getUint32(at + 4, true);
    const chunk = bytes.subarray(at + 8, at + 8 + length);
    if (type === jsonType && !json) json = JSON.parse(new TextDecoder().decode(chunk));
    else if (type === binType && bin.length === 0) bin = chunk as Uint8Array<ArrayBuffer>;
    at += 8 + length + ((4 - (length % 4)) % 4);
  }
  if (!json) throw new Error("the file has no JSON chunk; export it again as glTF binary");
  return { json, bin };
}

export function writeGlb({ json, bin }: Glb): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const textSize = Math.ceil(text.length / 4) * 4,
    binSize = Math.ceil(bin.length / 4) * 4;
  const size = 12 + 8 + textSize + (binSize > 0 ? 8 + binSize : 0);
  const out = new Uint8Array(size),
    view = new DataView(out.buffer);
  [magic, 2, size, textSize, jsonType].forEach((word, i) => view.setUint32(4 * i, word, true));
  out.fill(0x20, 20, 20 + textSize);
  out.set(text, 20);
  if (binSize > 0) {
    view.setUint32(20 + textSize, binSize, true);
    view.setUint32(24 + textSize, binType, true);
    out.set(bin, 28 + textSize);
  }
  return out;
}

/** Adds bytes to the binary chunk; gives the index of their buffer view. */
export class Appender {
  private readonly added: Uint8Array[] = [];
  private size: number;

  constructor(private readonly glb: Glb) {
    this.size = glb.bin.length;
  }

  add(bytes: Uint8Array): number {
    const json = this.glb.json,
      padding = (4 - (this.size % 4)) % 4;
    this.added.push(new Uint8Array(padding), bytes);
    const byteOffset = this.size + padding;
    this.size = byteOffset + bytes.length;
    (json.bufferViews ??= []).push({ buffer: 0, byteOffset, byteLength: bytes.length });
    return json.bufferViews.length - 1;
  }

  finish(): Uint8Array {
    const bin = new Uint8Array(this.size);
    bin.set(this.glb.bin);
    let at = this.glb.bin.length;
    for (const bytes of this.added) {
      bin.set(bytes, at);
      at += bytes.length;
    }
    this.glb.json.buffers ??= [{}];
    this.glb.json.buffers[0].byteLength = this.size;
    return writeGlb({ json: this.glb.json, bin });
  }
}
