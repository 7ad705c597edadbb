import * as THREE from "three";
import type { Loaded } from "../engine/protocol.js";

/** One part of the mesh: its triangles, and how the file paints it. */
export interface Part {
  name: string;
  vertices: number;
  triangles: number;
  index: THREE.BufferAttribute;
  /** Of its triangles, each once; made when they are first drawn. */
  edges: THREE.BufferAttribute | null;
  /** From the file, once its materials are read. */
  material: THREE.Material | null;
}

/** What all views of a character share: faces and texture coordinates. Positions are each view's own. */
export class Model {
  readonly parts: Part[];
  readonly box: THREE.Box3;
  readonly attributes: Record<string, THREE.BufferAttribute> = {};

  constructor(readonly loaded: Loaded) {
    this.parts = partsOf(loaded);
    this.box = new THREE.Box3().setFromArray(loaded.positions);
    this.attributes.rest = new THREE.BufferAttribute(loaded.positions, 3);
    if (loaded.normals) this.attributes.restNormal = new THREE.BufferAttribute(loaded.normals, 3);
  }

  get diagonal(): number {
    return this.box.isEmpty() ? 1 : this.box.getSize(new THREE.Vector3()).length();
  }

  edgesOf(part: Part): THREE.BufferAttribute {
    return (part.edges ??= new THREE.BufferAttribute(edgesOf(part.index.array, this.loaded.vertexCount), 1));
  }

  dispose(): void {
    for (const { material } of this.parts) {
      if (!material) continue;
      for (const value of Object.values(material)) if (value instanceof THREE.Texture) value.dispose();
      material.dispose();
    }
  }
}

/** The parts as `info` counts them, in the order of their triangles; the rest, if any, as one more. */
function partsOf({ info, triangles }: Loaded): Part[] {
  const described: any[] = [...(info.parts ?? []), ...(info.props ?? [])];
  const parts: Part[] = [];
  let first = 0;
  for (const { name, vertices, triangles: count } of described) {
    if (typeof count !== "number" || first + 3 * count > triangles.length) break;
    parts.push(partOf(name || `part ${parts.length}`, vertices, triangles.subarray(first, first + 3 * count)));
    first += 3 * count;
  }
  if (first < triangles.length) parts.push(partOf(parts.length > 0 ? "others" : "mesh", 0, triangles.subarray(first)));
  return parts;
}

function partOf(name: string, vertices: number, index: Uint32Array): Part {
  return {
    name,
    vertices,
    triangles: index.length / 3,
    index: new THREE.BufferAttribute(index, 1),
    edges: null,
    material: null,
  };
}

function edgesOf(faces: ArrayLike<number>, vertexCount: number): Uint32Array {
  const edges: number[] = [],
    seen = new Set<number>();
  for (let f = 0; f < faces.length; f += 3)
    for (let c = 0; c < 3; ++c) {
      const a = faces[f + c],
        b = faces[f + ((c + 1) % 3)],
        key = Math.min(a, b) * vertexCount + Math.max(a, b);
      if (seen.has(key)) continue;
      seen.add(key);
      edges.push(a, b);
    }
  return Uint32Array.from(edges);
}
