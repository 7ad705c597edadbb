import { type Bone, DataTexture, FloatType, Matrix4, NearestFilter, type Object3D, RGBAFormat, Skeleton } from "three";
import { type Content, Form, formOf, type Method, neededBy } from "./method.js";
import { boneRotation, mat3, toQuaternion } from "./rotation.js";
import type { SkinRows } from "./rows.js";

/** What the meshes of a skeleton are skinned by; rows and settings are the file's. */
export interface SkinData {
  rows: SkinRows;
  /** `v0` to `v5`; null where the rows are plain weights, more than four per vertex */
  variant: string | null;
  /** the numbers that the rows have; a method that needs more is the file's own variant */
  content: Content;
  /** N of docs/payload.md, from POSITION to the payload's space */
  space: Matrix4;
  /** the plugin, whose method is taken where a skeleton has none of its own */
  settings: { method: Method };
}

/** Joints in one row of the texture, four texels each. */
const jointsPerRow = 16;
/** In the header, so that a mesh whose skeleton is not one of these is recognized. */
export const magic = 7919;

const matrix = new Matrix4(),
  rootInverse = new Matrix4(),
  spaceInverse = new Matrix4(),
  identity = new Matrix4();
const linear = mat3(),
  rotation = mat3(),
  quaternion = new Float64Array(4);

/**
 * A skeleton whose matrices take rest space to the file's root space, where joints that do not scale are rigid
 * whatever the scene does with the model, and single precision is not spent on where it stands. The upper half of its
 * texture has three.js's bone matrices. The lower half has, per joint, the rows of M_j and its rotation, as
 * web/shaders/pelt_skin.glsl reads them; and in the last four texels the rows of N, then form, magic, and whether N is
 * another map than the identity.
 */
export class PeltSkeleton extends Skeleton {
  /** How this character is skinned; null: the plugin's `method`. */
  method: Method | null = null;
  form: Form = Form.plain;
  /** M_j by rows, 12 numbers per joint, and rotations, 4 per joint, in double precision */
  readonly matrices: Float64Array;
  readonly rotations: Float64Array;
  private texels = new Float32Array(0);

  constructor(
    bones: Bone[],
    boneInverses: Matrix4[],
    readonly skin: SkinData,
    private readonly rootDepth: number,
  ) {
    super(bones, boneInverses);
    this.matrices = new Float64Array(12 * bones.length);
    this.rotations = new Float64Array(4 * bones.length);
  }

  /** The object that the file's scene became: as many levels above the first bone as when it was loaded. */
  get root(): Object3D {
    let object: Object3D = this.bones[0];
    for (let i = 0; i < this.rootDepth && object.parent; ++i) object = object.parent;
    return object;
  }

  override clone(): this {
    const copy = new PeltSkeleton(this.bones, this.boneInverses, this.skin, this.rootDepth);
    copy.method = this.method;
    return copy as this;
  }

  override computeBoneTexture(): this {
    const rows = Math.ceil((this.bones.length + 1) / jointsPerRow);
    this.texels = new Float32Array(2 * rows * jointsPerRow * 16);
    this.boneMatrices = this.texels.subarray(0, 16 * this.bones.length);
    const texture = new DataTexture(this.texels, 4 * jointsPerRow, 2 * rows, RGBAFormat, FloatType);
    texture.minFilter = texture.magFilter = NearestFilter;
    this.boneTexture = texture;
    this.update();
    return this;
  }

  override update(): void {
    this.updatePose();
    if (this.boneTexture === null) return;
    const start = this.texels.length / 2,
      last = this.texels.length - 16,
      { space } = this.skin;
    for (let r = 0; r < 3; ++r) for (let c = 0; c < 4; ++c) this.texels[last + 4 * r + c] = space.elements[4 * c + r];
    this.texels[last + 12] = this.form;
    this.texels[last + 13] = magic;
    this.texels[last + 14] = space.equals(identity) ? 0 : 1;
    for (let j = 0; j < this.bones.length; ++j) {
      const at = start + 16 * j;
      for (let i = 0; i < 12; ++i) this.texels[at + i] = this.matrices[12 * j + i];
      for (let i = 0; i < 4; ++i) this.texels[at + 12 + i] = this.rotations[4 * j + i];
    }
    this.boneTexture.needsUpdate = true;
  }

  /** Matrices, rotations and form from where the bones are. */
  updatePose(): void {
    const { rows, space } = this.skin;
    rootInverse.copy(this.root.matrixWorld).invert();
    spaceInverse.copy(space).invert();
    let rigid = true;
    for (let j = 0; j < this.bones.length; ++j) {
      this.placeBone(j, matrix).toArray(this.boneMatrices as unknown as number[], 16 * j);
      if (rows.joints.has(j)) rigid = this.setJoint(j, matrix.multiply(spaceInverse).elements) && rigid;
    }
    const { variant, content } = this.skin,
      wanted = this.method ?? this.skin.settings.method;
    if (variant === null) this.form = Form.lbs;
    else this.form = formOf(neededBy(wanted, variant) < content ? "ddm" : wanted, variant, rigid);
    rows.need(this.form);
  }

  /** From the space of POSITION to root space. */
  protected placeBone(j: number, out: Matrix4): Matrix4 {
    out.copy(rootInverse);
    if (this.bones[j]) out.multiply(this.bones[j].matrixWorld);
    return out.multiply(this.boneInverses[j]);
  }

  /** Returns whether the joint neither scales nor shears nor mirrors. */
  private setJoint(j: number, m: number[]): boolean {
    for (let r = 0; r < 3; ++r) for (let c = 0; c < 4; ++c) this.matrices[12 * j + 4 * r + c] = m[4 * c + r];
    for (let i = 0; i < 9; ++i) linear[i] = m[4 * Math.floor(i / 3) + (i % 3)];
    const rigid = boneRotation(linear, rotation);
    this.rotations.set(toQuaternion(rotation, quaternion), 4 * j);
    return rigid;
  }
}
