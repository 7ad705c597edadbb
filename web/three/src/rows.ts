import {
  BufferAttribute,
  BufferGeometry,
  DataTexture,
  FloatType,
  type Material,
  NearestFilter,
  RGBAFormat,
} from "three";
import { Form } from "./method.js";

/** Numbers of one entry as the texture has them: joint ω ψ zz, χ yz, xx xy xz yy. */
export const entryNumbers = 12;
const entriesPerRow = 512;

/** The rows of one primitive as the file or its weights have them, before they take their place in the texture. */
export interface PrimitiveRows {
  /** p, three numbers a vertex */
  centers: Float32Array;
  counts: Uint32Array;
  /** the joint with the largest ψ, one a vertex */
  pivots: Uint32Array;
  entries: Float32Array;
}

/** What the vertices of all primitives of a file need, in one texture; `row` and `center` are attributes of each. */
export class SkinRows {
  readonly texture: DataTexture;
  readonly joints: ReadonlySet<number>;
  /** The one form that shaders have (v0 comes with Enhanced DDM), which is faster; null where they have all. */
  formAlone: Form | null;
  /** those that draw by these rows */
  readonly materials = new Set<Material>();

  constructor(primitives: Map<BufferGeometry, PrimitiveRows>, formAlone: Form) {
    this.formAlone = formAlone;
    let count = 0;
    for (const rows of primitives.values()) count += rows.entries.length / entryNumbers;
    const height = Math.max(1, Math.ceil(count / entriesPerRow));
    const data = new Float32Array(4 * 3 * entriesPerRow * height);
    let first = 0;
    const joints = new Set<number>();
    for (const [geometry, rows] of primitives) {
      data.set(rows.entries, first * entryNumbers);
      for (let e = 0; e < rows.entries.length; e += entryNumbers) joints.add(rows.entries[e]);
      setAttributes(geometry, rows, first);
      first += rows.entries.length / entryNumbers;
    }
    this.joints = joints;
    this.texture = new DataTexture(data, 3 * entriesPerRow, height, RGBAFormat, FloatType);
    this.texture.minFilter = this.texture.magFilter = NearestFilter;
    this.texture.needsUpdate = true;
  }

  /** Shaders are compiled anew where they lack the form. */
  need(form: Form): void {
    const alone = this.formAlone;
    if (alone === null || form === alone || form === Form.plain || (form === Form.eddm && alone === Form.v0)) return;
    this.formAlone = null;
    for (const material of this.materials) material.needsUpdate = true;
  }

  get data(): Float32Array {
    return this.texture.image.data as unknown as Float32Array;
  }
}

/** `row`: first entry, count, pivot. Floats, so that a mesh without them reads zeros and plays its plain skin. */
function setAttributes(geometry: BufferGeometry, rows: PrimitiveRows, first: number): void {
  const row = new Float32Array(3 * rows.counts.length);
  for (let v = 0, at = first; v < rows.counts.length; at += rows.counts[v++]) {
    row[3 * v] = at;
    row[3 * v + 1] = rows.counts[v];
    row[3 * v + 2] = rows.pivots[v];
  }
  geometry.setAttribute("peltRow", new BufferAttribute(row, 3));
  geometry.setAttribute("peltCenter", new BufferAttribute(rows.centers, 3));
}
