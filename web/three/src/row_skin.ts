import { Bone, BufferGeometry, DetachedBindMode, LineSegments, type Material, Matrix4, SkinnedMesh } from "three";
import { prepareMaterial } from "./materials.js";
import { PeltSkinnedMesh } from "./mesh.js";
import { Content, formOf, type Method } from "./method.js";
import { entryNumbers, type PrimitiveRows, SkinRows, textureHeight } from "./rows.js";
import { PeltSkeleton, type SkinData } from "./skeleton.js";

/** Rows with the method that they are for, as `rowsOf` of @pelt/core gives them. */
export interface MethodRows extends PrimitiveRows {
  method: string;
}

/** A skeleton whose matrices a program sets; its bones are in no scene. */
class MatrixSkeleton extends PeltSkeleton {
  private given: ArrayLike<number> = [];
  private changed = true;

  constructor(count: number, skin: SkinData) {
    const bones = Array.from({ length: count }, () => new Bone());
    super(
      bones,
      bones.map(() => new Matrix4()),
      skin,
      0,
    );
  }

  give(matrices: ArrayLike<number>): void {
    this.given = matrices;
    this.changed = true;
    this.update();
  }

  /** Renderers ask for each picture, but the pose is worked out once. */
  override update(): void {
    if (this.changed) super.update();
    this.changed = false;
  }

  override computeBoneTexture(): this {
    this.changed = true;
    return super.computeBoneTexture();
  }

  protected override placeBone(j: number, out: Matrix4): Matrix4 {
    return this.given.length > 0 ? out.fromArray(this.given as number[], 16 * j) : out.identity();
  }
}

/**
 * Skins vertices by rows and matrices that a program has, without a file:
 *
 *     const skin = new RowSkin(hero.rowsOf(hero.deformer("ddm").bytes()), bones.length / 16);
 *     scene.add(skin.mesh(geometry, material));
 *     skin.setMatrices(hero.bones("walk", 0.5));
 *
 * Geometries have the rest positions and normals of all vertices; several may show parts of them by their index.
 */
export class RowSkin {
  private readonly attributes = new BufferGeometry();
  private readonly rows: SkinRows;
  private readonly skeleton: MatrixSkeleton;
  private readonly data: SkinData;

  constructor(rows: MethodRows, bones: number) {
    const method = rows.method as Method;
    this.rows = new SkinRows(new Map([[this.attributes, ownCenters(rows)]]), formFor(method));
    this.data = {
      rows: this.rows,
      variant: variantOf(method),
      content: Content.full,
      space: new Matrix4(),
      settings: { method },
    };
    this.skeleton = new MatrixSkeleton(bones, this.data);
  }

  /** The height of the texture that rows need; renderers have a `maxTextureSize`. */
  static textureSize(rows: PrimitiveRows): number {
    return textureHeight(rows.entries.length / entryNumbers);
  }

  /** Another method for the same vertices and bones; it is posed by the next matrices. */
  setRows(rows: MethodRows): void {
    const method = rows.method as Method;
    this.rows.replace(this.attributes, rows, formFor(method));
    this.data.variant = variantOf(method);
    this.data.settings.method = method;
  }

  /** 16 numbers per bone, by columns, from rest space to posed space. */
  setMatrices(matrices: ArrayLike<number>): void {
    this.skeleton.give(matrices);
  }

  /** The geometry gets two attributes, and the material is prepared for this skin alone. */
  mesh(geometry: BufferGeometry, material: Material): PeltSkinnedMesh {
    const mesh = new SkinnedMesh(this.adopt(geometry), material);
    mesh.bindMode = DetachedBindMode; // posed space is the mesh's own
    return PeltSkinnedMesh.from(mesh, this.skeleton);
  }

  lines(geometry: BufferGeometry, material: Material): LineSegments {
    const lines = new LineSegments(this.adopt(geometry), prepareMaterial(material, this.rows));
    const { skeleton } = this,
      [bindMatrix, bindMatrixInverse] = [new Matrix4(), new Matrix4()];
    return Object.assign(lines, { isSkinnedMesh: true, skeleton, bindMatrix, bindMatrixInverse });
  }

  /** Frees the textures. Geometries and materials are the caller's. */
  dispose(): void {
    this.rows.texture.dispose();
    this.skeleton.dispose();
  }

  private adopt(geometry: BufferGeometry): BufferGeometry {
    for (const [name, attribute] of Object.entries(this.attributes.attributes)) geometry.setAttribute(name, attribute);
    return geometry;
  }
}

const variantOf = (method: Method) => (method === "lbs" ? null : "v0");
const formFor = (method: Method) => formOf(method === "lbs" ? "ddm-v5" : method, "v0", true);

/** The attribute is filled anew with other rows, and the caller's array stays as it is. */
const ownCenters = (rows: PrimitiveRows): PrimitiveRows => ({ ...rows, centers: rows.centers.slice() });
