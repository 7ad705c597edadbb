import { isGlb, readGlb } from "./glb.js";
import { endingOf } from "./names.js";

/** Mesh sequences as people have them: F frames of V vertices. */
export interface Sequence {
  name: string;
  frames: Float32Array;
  frameCount: number;
  vertexCount: number;
  /** Faces, where the format has any. */
  triangles?: Uint32Array;
  /** The file that brought the faces, where that was another one. */
  mesh?: string;
  /** The rest pose, where the format has one; otherwise it is the first frame. */
  rest?: Float32Array;
}

/** Whether a .glb is a mesh sequence: morph targets that are animated, and no skeleton. */
export function isShapeSequence(bytes: Uint8Array): boolean {
  let json: any;
  if (!isGlb(bytes)) return false;
  try {
    json = readGlb(bytes).json;
  } catch {
    return false; // the error is reported when it is opened
  }
  const animated = json.animations?.some((one: any) => one.channels?.some((c: any) => c.target?.path === "weights"));
  return Boolean(animated) && !json.skins?.length;
}

export const sequenceEndings = [".npy", ".pc2", ".mdd", ".obj"];

export function readSequence(name: string, bytes: Uint8Array): Sequence {
  const ending = endingOf(name);
  if (ending === ".npy") return readNpy(name, bytes);
  if (ending === ".pc2") return readPc2(name, bytes);
  if (ending === ".mdd") return readMdd(name, bytes);
  throw new Error(`${name}: not a sequence that Pelt reads; use .npy, .pc2, .mdd or several .obj`);
}

function checked(name: string, frames: Float32Array, frameCount: number, vertexCount: number): Sequence {
  if (frameCount < 1 || vertexCount < 1 || frames.length !== 3 * frameCount * vertexCount)
    throw new Error(
      `${name}: holds ${frames.length} numbers, but says ${frameCount} frames of ${vertexCount} vertices;` +
        " export it again",
    );
  return { name, frames, frameCount, vertexCount };
}

function readNpy(name: string, bytes: Uint8Array): Sequence {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 12 || view.getUint32(0) !== 0x934e554d) throw new Error(`${name}: is not a NumPy file`);
  const long = bytes[6] >= 2;
  const length = long ? view.getUint32(8, true) : view.getUint16(8, true),
    begin = (long ? 12 : 10) + length;
  const header = new TextDecoder("latin1").decode(bytes.subarray(long ? 12 : 10, begin));
  const shape = (/'shape':\s*\(([^)]*)\)/.exec(header)?.[1] ?? "")
    .split(",")
    .filter((s) => s.trim())
    .map(Number);
  const type = /'descr':\s*'([^']*)'/.exec(header)?.[1];
  if (/'fortran_order':\s*True/.test(header) || (type !== "<f4" && type !== "<f8"))
    throw new Error(`${name}: save it as float32 in C order: numpy.save(file, frames.astype("float32"))`);
  if (shape.length === 2) shape.unshift(1);
  if (shape.length !== 3 || shape[2] !== 3) throw new Error(`${name}: its shape is not (frames, vertices, 3)`);
  const data = bytes.slice(begin).buffer;
  const frames =
    type === "<f4"
      ? new Float32Array(data, 0, data.byteLength >> 2)
      : Float32Array.from(new Float64Array(data, 0, data.byteLength >> 3));
  return checked(name, frames, shape[0], shape[1]);
}

/** Float32, in C order. */
export function writeNpy(values: Float32Array, shape: number[]): Uint8Array {
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape.join(", ")}), }`,
    length = 64 * Math.ceil((text.length + 11) / 64);
  const bytes = new Uint8Array(length + values.byteLength);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, (length - 10) & 255, (length - 10) >> 8]);
  bytes.set(new TextEncoder().encode(`${text.padEnd(length - 11)}\n`), 10);
  bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), length);
  return bytes;
}

function readPc2(name: string, bytes: Uint8Array): Sequence {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (new TextDecoder("latin1").decode(bytes.subarray(0, 11)) !== "POINTCACHE2")
    throw new Error(`${name}: is not a PC2 file`);
  const vertices = view.getInt32(16, true),
    count = view.getInt32(28, true);
  const data = bytes.slice(32).buffer;
  return checked(name, new Float32Array(data, 0, data.byteLength >> 2), count, vertices);
}

function readMdd(name: string, bytes: Uint8Array): Sequence {
  if (bytes.length < 8) throw new Error(`${name}: is not an MDD file`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getInt32(0),
    vertices = view.getInt32(4),
    begin = 8 + 4 * count;
  if (count < 1 || vertices < 1 || bytes.length < begin + 12 * count * vertices)
    throw new Error(`${name}: is shorter than its header says; export it again`);
  const frames = new Float32Array(3 * count * vertices);
  for (let i = 0; i < frames.length; ++i) frames[i] = view.getFloat32(begin + 4 * i);
  return checked(name, frames, count, vertices);
}

/** Several .obj in natural order are the frames; the first brings the faces. */
export function readObjFrames(files: { name: string; text: string }[]): Sequence {
  const sorted = [...files].sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
  const meshes = sorted.map(({ name, text }) => ({ name, ...readObj(text) }));
  const size = meshes[0].positions.length;
  for (const mesh of meshes)
    if (mesh.positions.length !== size)
      throw new Error(
        `${mesh.name}: has ${mesh.positions.length / 3} vertices, ${meshes[0].name} has ${size / 3};` +
          " all frames need the same mesh",
      );
  const frames = new Float32Array(size * meshes.length);
  meshes.forEach((mesh, i) => frames.set(mesh.positions, i * size));
  return { ...checked(sorted[0].name, frames, meshes.length, size / 3), triangles: meshes[0].triangles };
}

export function readObj(text: string): { positions: Float32Array; triangles: Uint32Array } {
  const positions: number[] = [],
    triangles: number[] = [];
  for (const line of text.split("\n")) {
    const words = line.trim().split(/\s+/);
    if (words[0] === "v") positions.push(Number(words[1]), Number(words[2]), Number(words[3]));
    if (words[0] !== "f") continue;
    const corners = words.slice(1).map((word) => {
      const index = parseInt(word, 10);
      return index < 0 ? positions.length / 3 + index : index - 1;
    });
    for (let i = 2; i < corners.length; ++i) triangles.push(corners[0], corners[i - 1], corners[i]);
  }
  return { positions: Float32Array.from(positions), triangles: Uint32Array.from(triangles) };
}
