import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { isGlb, readGlb, writeGlb } from "../file/glb.js";
import { primitivesOf } from "../file/primitives.js";
import type { Model } from "./model.js";

/** Reads the file's materials and texture coordinates into the model. What does not fit it is left as clay. */
export async function readMaterials(model: Model, bytes: Uint8Array): Promise<void> {
  if (!isGlb(bytes)) return;
  const { json, bin } = readGlb(bytes);
  const primitives = primitivesOf(json).filter((primitive) => primitive.vertices > 0);
  const fits =
    primitives.length === model.parts.length &&
    primitives.every((primitive, i) => primitive.vertices === model.parts[i].vertices);
  if (!fits) return;
  const parser = await parserOf(json, bin);
  await readAttribute(model, parser, primitives, "TEXCOORD_0", "uv", 2);
  await readAttribute(model, parser, primitives, "TEXCOORD_1", "uv1", 2);
  await readAttribute(model, parser, primitives, "COLOR_0", "vertexColor", 4);
  await Promise.all(
    model.parts.map(async (part, i) => {
      const index = primitives[i].primitive.material;
      const material =
        index === undefined
          ? new THREE.MeshStandardMaterial({ color: 0xffffff, roughness: 0.7 })
          : (await parser.getDependency("material", index)).clone();
      material.userData.colors = primitives[i].primitive.attributes.COLOR_0 !== undefined;
      part.material = material;
    }),
  );
}

/** GLTFLoader for materials, images and accessors alone: the meshes come from Pelt. */
async function parserOf(json: any, bin: Uint8Array): Promise<any> {
  const reduced = {
    ...json,
    scene: undefined,
    scenes: [],
    nodes: [],
    meshes: [],
    skins: [],
    animations: [],
    cameras: [],
    extensionsRequired: (json.extensionsRequired ?? []).filter((name: string) => !name.startsWith("PELT_")),
  };
  const glb = writeGlb({ json: reduced, bin });
  const gltf: any = await new GLTFLoader().parseAsync(glb.buffer as ArrayBuffer, "");
  return gltf.parser;
}

async function readAttribute(
  model: Model,
  parser: any,
  primitives: ReturnType<typeof primitivesOf>,
  from: string,
  to: string,
  size: number,
): Promise<void> {
  const used = primitives.filter(({ primitive }) => primitive.attributes[from] !== undefined);
  if (used.length === 0) return;
  const values = new Float32Array(model.loaded.vertexCount * size).fill(size === 4 ? 1 : 0);
  let first = 0;
  for (const { primitive, vertices } of primitives) {
    const index = primitive.attributes[from];
    if (index !== undefined) {
      const source: THREE.BufferAttribute = await parser.getDependency("accessor", index);
      for (let v = 0; v < Math.min(vertices, source.count); ++v)
        for (let c = 0; c < Math.min(size, source.itemSize); ++c)
          values[(first + v) * size + c] = source.getComponent(v, c);
    }
    first += vertices;
  }
  model.attributes[to] = new THREE.BufferAttribute(values, size);
}
