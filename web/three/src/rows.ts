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
  /** p, three numbers per vertex */
  centers: Float32Array;
  counts: Uint32Array;
  /** the joint with the largest ψ, one per vertex */
  pivots: Uint32Array;
  entries: Float32Array;
}

/** What the vertices of all primitives of a file need, in one texture; `row` and `center` are attributes of each. */
export class SkinRows {
  /** The texture as shaders get it: it may be replaced. */
  readonly uniform: { value: DataTexture };
  joints: ReadonlySet<number>;
  /** The one form that shaders have (v0 comes with Enhanced DDM), which is faster; null where they have all. */
  formAlone: Form | null;
  /** those that draw by these rows */
  readonly materials = new Set<Material>();

  constructor(primitives: Map<BufferGeometry, PrimitiveRows>, formAlone: Form) {
    this.formAlone = formAlone;
    const all = [...primitives.values()];
    this.uniform = { value: textureOf(all) };
    this.joints = jointsOf(all);
    let first = 0;
    for (const [geometry, rows] of primitives) {
      setAttributes(geometry, rows, first);
      first += rows.entries.length / entryNumbers;
    }
  }

  get texture(): DataTexture {
    return this.uniform.value;
  }

  /** Other rows for the same vertices, of one geometry that has its attributes already. */
  replace(geometry: BufferGeometry, rows: PrimitiveRows, formAlone: Form): void {
    this.texture.dispose();
    this.uniform.value = textureOf([rows]);
    this.joints = jointsOf([rows]);
    const { peltRow, peltCenter } = geometry.attributes as Record<string, BufferAttribute>;
    peltRow.copyArray(rowNumbers(rows, 0)).needsUpdate = true;
    peltCenter.copyArray(rows.centers).needsUpdate = true;
    if (this.formAlone !== formAlone) this.compile(formAlone);
  }

  /** Shaders are compiled anew where they lack the form. */
  need(form: Form): void {
    const alone = this.formAlone;
    if (alone === null || form === alone || form === Form.plain || (form === Form.eddm && alone === Form.v0)) return;
    this.compile(null);
  }

  get data(): Float32Array {
    return this.texture.image.data as unknown as Float32Array;
  }

  private compile(formAlone: Form | null): void {
    this.formAlone = formAlone;
    for (const material of this.materials) material.needsUpdate = true;
  }
}

export const textureHeight = (entries: number) => Math.max(1, Math.ceil(entries / entriesPerRow));

function textureOf(all: PrimitiveRows[]): DataTexture {
  const count = all.reduce((sum, { entries }) => sum + entries.length, 0) / entryNumbers;
  const height = textureHeight(count);
  const data = new Float32Array(entryNumbers * entriesPerRow * height);
  let at = 0;
  for (const { entries } of all) {
    data.set(entries, at);
    at += entries.length;
  }
  const texture = new DataTexture(data, 3 * entriesPerRow, height, RGBAFormat, FloatType);
  texture.minFilter = texture.magFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}

function jointsOf(all: PrimitiveRows[]): Set<number> {
  const joints = new Set<number>();
  for (const { entries } of all) for (let e = 0; e < entries.length; e += entryNumbers) joints.add(entries[e]);
  return joints;
}

/** `row`: first entry, count, pivot. Floats, so that a mesh without them reads zeros and plays its plain skin. */
function setAttributes(geometry: BufferGeometry, rows: PrimitiveRows, first: number): void {
  geometry.setAttribute("peltRow", new BufferAttribute(rowNumbers(rows, first), 3));
  geometry.setAttribute("peltCenter", new BufferAttribute(rows.centers, 3));
}

function rowNumbers({ counts, pivots }: PrimitiveRows, first: number): Float32Array {
  const row = new Float32Array(3 * counts.length);
  for (let v = 0, at = first; v < counts.length; at += counts[v++]) {
    row[3 * v] = at;
    row[3 * v + 1] = counts[v];
    row[3 * v + 2] = pivots[v];
  }
  return row;
}
