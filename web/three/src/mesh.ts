import { type Material, type Raycaster, type Intersection, SkinnedMesh, Vector3, type Vector4, Matrix4 } from "three";
import { evaluateVertex } from "./evaluate.js";
import { prepareMaterial, shadowMaterials } from "./materials.js";
import { checkMethod, Form, type Method } from "./method.js";
import { PeltSkeleton } from "./skeleton.js";

const point = new Vector3(),
  sum = new Vector3(),
  matrix = new Matrix4();
const result = new Float64Array(3);

interface Posed {
  positions: Float32Array;
  /** what they were computed from */
  matrices: Float32Array;
  state: string;
}

/** A SkinnedMesh that is skinned by the rows of its file; in all else it is used as one. */
export class PeltSkinnedMesh extends SkinnedMesh {
  declare skeleton: PeltSkeleton;
  declare private shown: Material | Material[];
  declare private posed: Posed | undefined;
  declare private readsPosed: boolean | undefined;

  /** The mesh itself becomes one, so that whoever holds it need not know. */
  static from(mesh: SkinnedMesh, skeleton: PeltSkeleton): PeltSkinnedMesh {
    const { material, customDepthMaterial, customDistanceMaterial } = mesh;
    for (const name of ["material", "customDepthMaterial", "customDistanceMaterial"])
      delete (mesh as unknown as Record<string, unknown>)[name];
    const pelt = Object.setPrototypeOf(mesh, PeltSkinnedMesh.prototype) as PeltSkinnedMesh;
    pelt.skeleton = skeleton;
    pelt.customDepthMaterial = customDepthMaterial;
    pelt.customDistanceMaterial = customDistanceMaterial;
    pelt.material = material;
    return pelt;
  }

  /** How the character is skinned; null: the plugin's `method`. */
  get method(): Method | null {
    return this.skeleton.method;
  }
  set method(method: Method | null) {
    if (method !== null) checkMethod(method);
    this.skeleton.method = method;
  }

  override copy(source: this, recursive?: boolean): this {
    super.copy(source, recursive);
    this.material = source.material;
    return this;
  }

  override updateMatrixWorld(force?: boolean): void {
    super.updateMatrixWorld(force);
    // the skeleton's matrices end in root space
    if (this.skeleton instanceof PeltSkeleton) this.bindMatrixInverse.multiply(this.skeleton.root.matrixWorld);
  }

  override applyBoneTransform<T extends Vector3 | Vector4>(index: number, target: T): T {
    this.skeleton.updatePose();
    this.transform(index, target);
    return target;
  }

  override getVertexPosition(index: number, target: Vector3): Vector3 {
    if (this.readsPosed) return target.fromArray(this.posed!.positions, 3 * index);
    return super.getVertexPosition(index, target);
  }

  override computeBoundingBox(): void {
    this.withPosed(() => super.computeBoundingBox());
  }

  override computeBoundingSphere(): void {
    this.withPosed(() => super.computeBoundingSphere());
  }

  /** All vertices in the space of the mesh, computed on the processor. The array is used again for the next pose. */
  posedPositions(): Float32Array {
    this.withPosed(() => undefined);
    return this.posed!.positions;
  }

  override raycast(raycaster: Raycaster, intersects: Intersection[]): void {
    this.withPosed((changed) => {
      if (changed || this.boundingSphere === null) super.computeBoundingSphere();
      if (changed && this.boundingBox !== null) super.computeBoundingBox();
      super.raycast(raycaster, intersects);
    });
  }

  /** All vertices are computed once and kept until the pose changes. */
  private withPosed(use: (changed: boolean) => void): void {
    if (this.readsPosed) return use(false);
    this.skeleton.updatePose();
    const changed = this.updatePosed();
    this.readsPosed = true;
    try {
      use(changed);
    } finally {
      this.readsPosed = false;
    }
  }

  private updatePosed(): boolean {
    const { form, skin } = this.skeleton,
      { position } = this.geometry.attributes;
    const boneMatrices = this.skeleton.boneMatrices as Float32Array;
    const version = "version" in position ? position.version : 0;
    const { elements } = this.bindMatrixInverse;
    const state = [form, skin.rows.texture.id, version, this.geometry.id, elements, this.morphTargetInfluences].join();
    const old = this.posed;
    if (old?.state === state && boneMatrices.every((x, i) => x === old.matrices[i])) return false;
    const count = position.count;
    const positions = old?.positions.length === 3 * count ? old.positions : new Float32Array(3 * count);
    for (let v = 0; v < count; ++v) {
      this.restPosition(v, point);
      this.transform(v, point);
      point.toArray(positions, 3 * v);
    }
    this.posed = { positions, matrices: boneMatrices.slice(), state };
    return true;
  }

  /** With morph targets, without the skin. */
  private restPosition(index: number, target: Vector3): void {
    const { geometry, morphTargetInfluences } = this;
    target.fromBufferAttribute(geometry.attributes.position, index);
    const morphs = geometry.morphAttributes.position;
    if (!morphs || !morphTargetInfluences) return;
    sum.set(0, 0, 0);
    for (let i = 0; i < morphs.length; ++i) {
      if (morphTargetInfluences[i] === 0) continue;
      matrixPoint.fromBufferAttribute(morphs[i], index);
      if (!geometry.morphTargetsRelative) matrixPoint.sub(target);
      sum.addScaledVector(matrixPoint, morphTargetInfluences[i]);
    }
    target.add(sum);
  }

  private transform(index: number, target: Vector3 | Vector4): void {
    const { attributes } = this.geometry,
      { skeleton } = this;
    target.applyMatrix4(this.bindMatrix);
    const isPoint = !("isVector4" in target) || target.w === 1;
    if (skeleton.form === Form.plain || !attributes.peltRow || !isPoint) this.transformPlain(index, target);
    else {
      const { peltRow, peltCenter } = attributes;
      const row = {
        first: peltRow.getX(index),
        count: peltRow.getY(index),
        pivot: peltRow.getZ(index),
        center: [peltCenter.getX(index), peltCenter.getY(index), peltCenter.getZ(index)],
      };
      point2.set(target.x, target.y, target.z).applyMatrix4(skeleton.skin.space);
      evaluateVertex(skeleton, row, point2.toArray(), result);
      target.x = result[0];
      target.y = result[1];
      target.z = result[2];
    }
    target.applyMatrix4(this.bindMatrixInverse);
  }

  private transformPlain(index: number, target: Vector3 | Vector4): void {
    const { skinIndex, skinWeight } = this.geometry.attributes;
    const from = target.clone() as Vector4,
      moved = target.clone() as Vector4;
    target.multiplyScalar(0);
    for (let k = 0; k < 4; ++k) {
      const weight = skinWeight.getComponent(index, k);
      if (weight === 0) continue;
      matrix.fromArray(this.skeleton.boneMatrices as unknown as number[], 16 * skinIndex.getComponent(index, k));
      (target as Vector4).addScaledVector(moved.copy(from).applyMatrix4(matrix), weight);
    }
    if ("isVector4" in target) target.w = from.w;
  }
}

const matrixPoint = new Vector3(),
  point2 = new Vector3();

type Hidden = {
  shown: Material | Material[];
  skeleton?: PeltSkeleton;
  ownDepth?: Material;
  ownDistance?: Material;
};

// three.js has these as properties: whatever is assigned is prepared for the skin, and shadows follow it.
Object.defineProperty(PeltSkinnedMesh.prototype, "material", {
  get(this: Hidden) {
    return this.shown;
  },
  set(this: Hidden, material: Material | Material[]) {
    const rows = this.skeleton?.skin?.rows;
    if (!rows) this.shown = material;
    else if (Array.isArray(material)) this.shown = material.map((one) => prepareMaterial(one, rows));
    else this.shown = prepareMaterial(material, rows);
  },
});

for (const [name, own, kind] of [
  ["customDepthMaterial", "ownDepth", "depth"],
  ["customDistanceMaterial", "ownDistance", "distance"],
] as const)
  Object.defineProperty(PeltSkinnedMesh.prototype, name, {
    get(this: Hidden) {
      if (this[own] || !this.skeleton) return this[own];
      const material = Array.isArray(this.shown) ? this.shown[0] : this.shown;
      return shadowMaterials(material, this.skeleton.skin.rows)[kind];
    },
    set(this: Hidden, material: Material | undefined) {
      const rows = this.skeleton?.skin?.rows;
      this[own] = material && rows ? prepareMaterial(material, rows) : material;
    },
  });
