import { isGlb } from "./glb.js";
import { decompressed, packGltf } from "./gltf_pack.js";
import { endingOf } from "./names.js";
import { isShapeSequence, readObj, readObjFrames, readSequence, type Sequence, sequenceEndings } from "./sequences.js";

export interface Named {
  name: string;
  bytes: Uint8Array;
}

/** What a set of dropped files is. */
export interface Opened {
  character?: Named;
  /** A mesh alone, in a format without joints. */
  mesh?: Named;
  /** A .glb whose animated morph targets are a mesh sequence. */
  shapes?: Named;
  sequence?: Sequence;
}

const pictureEndings = [".png", ".jpg", ".jpeg"];
const meshEndings = [".obj", ".ply", ".off"];
const largest = 1 << 30;

export async function readFiles(files: Iterable<File>): Promise<Opened> {
  const read: Named[] = [];
  for (const file of files) {
    if (file.size > largest) throw new Error(`${file.name}: is larger than 1 GB; the page takes smaller files`);
    read.push({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) });
  }
  return openFiles(read);
}

export async function openFiles(files: Named[]): Promise<Opened> {
  const opened: Opened = {};
  for (const file of modelsOf(files)) {
    const model = { name: file.name, bytes: await characterBytes(file, files) };
    opened[isShapeSequence(model.bytes) ? "shapes" : "character"] ??= model;
  }
  const objects = files.filter((file) => endingOf(file.name) === ".obj");
  const cache = files.find((file) => sequenceEndings.includes(endingOf(file.name)) && endingOf(file.name) !== ".obj");
  if (cache) opened.sequence = withFaces(readSequence(cache.name, cache.bytes), objects[0]);
  else if (objects.length > 1)
    opened.sequence = readObjFrames(objects.map(({ name, bytes }) => ({ name, text: decode(bytes) })));
  else opened.mesh = files.find((file) => meshEndings.includes(endingOf(file.name)));
  if (opened.character || opened.shapes || opened.sequence || opened.mesh) return opened;
  const picture = files.find(({ name }) => pictureEndings.includes(endingOf(name)));
  if (picture)
    throw new Error(
      `${picture.name} is a picture: pelt cutout ${picture.name} -o figure.glb makes a flat figure of it`,
    );
  throw new Error(refusal(files));
}

function modelsOf(files: Named[]): Named[] {
  const binary = files.filter((file) => [".glb", ".vrm", ".vrma"].includes(endingOf(file.name)));
  return binary.length > 0 ? binary : files.filter((file) => endingOf(file.name) === ".gltf");
}

export async function characterBytes(main: Named, files: Named[]): Promise<Uint8Array> {
  if (isGlb(main.bytes) || endingOf(main.name) !== ".gltf") return decompressed(main.bytes);
  const find = (uri: string) => files.find((file) => file.name === uri.split("/").at(-1))?.bytes;
  try {
    return await decompressed(packGltf(decode(main.bytes), find));
  } catch (error) {
    throw new Error(`${main.name}: ${error instanceof Error ? error.message : error}`);
  }
}

function withFaces(sequence: Sequence, mesh: Named | undefined): Sequence {
  if (!mesh) return sequence;
  const { triangles, positions } = readObj(decode(mesh.bytes));
  if (positions.length !== 3 * sequence.vertexCount)
    throw new Error(
      `${mesh.name}: has ${positions.length / 3} vertices, ${sequence.name} ${sequence.vertexCount};` +
        " drop the mesh that the sequence was made from",
    );
  return { ...sequence, triangles, mesh: mesh.name };
}

function refusal(files: Named[]): string {
  const name = files[0]?.name ?? "Nothing";
  if ([".fbx", ".dae"].includes(endingOf(name)))
    return `${name}: the page reads glTF; run \`pelt studio ${name}\`, which converts it`;
  return `${name}: is not a character; drop a .glb, a .gltf with its files, a mesh (.obj .ply .off) or a mesh sequence (.npy .pc2 .mdd, several .obj)`;
}

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
