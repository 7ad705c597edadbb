import { type BufferGeometry, Matrix4, type Object3D, type Skeleton, type SkinnedMesh } from "three";
import type { GLTF, GLTFLoaderPlugin, GLTFParser } from "three/addons/loaders/GLTFLoader.js";
import { DrivenBone, type DrivenObject, namedBy, problemOf } from "./driven.js";
import { PeltSkinnedMesh } from "./mesh.js";
import { checkMethod, Content, formOf, type Method } from "./method.js";
import {
  checkObject,
  jointsHash,
  PayloadError,
  type PayloadObject,
  positionHash,
  readRows,
  recordsOf,
  weightRows,
} from "./payload.js";
import { type PrimitiveRows, SkinRows } from "./rows.js";
import { PeltSkeleton, type SkinData } from "./skeleton.js";

const mushName = "PELT_direct_delta_mush",
  drivenName = "PELT_driven_joints";

interface Primitive {
  attributes: Record<string, number>;
  extensions?: Record<string, unknown>;
}

/** A skinned mesh of the loaded file and what the file has for it. */
interface Shown {
  mesh: SkinnedMesh;
  primitive: Primitive;
  skin: number;
}

/**
 * Plays files of `pelt mush`, `pelt bake` and `pelt fit`:
 *
 *     loader.register((parser) => new PeltPlugin(parser));
 *
 * Primitives with a payload are skinned by the variant it names, meshes with more than four joints per vertex by all of
 * them, and driven joints follow their drivers. A payload that does not fit is a warning; its mesh plays the plain
 * skin.
 */
export class PeltPlugin implements GLTFLoaderPlugin {
  readonly name = mushName;
  private chosen: Method = "ddm";
  private readonly firstWeights = new Map<number, Float64Array>();

  constructor(private readonly parser: GLTFParser) {}

  /** How meshes of this file are skinned; "lbs" shows the plain weights. A mesh may have a method of its own. */
  get method(): Method {
    return this.chosen;
  }
  set method(method: Method) {
    checkMethod(method);
    this.chosen = method;
  }

  /** GLTFLoader makes the first four weights sum to 1 even where others follow: what they were is kept. */
  async beforeRoot(): Promise<void> {
    for (const primitive of this.primitives())
      if (primitive.attributes.WEIGHTS_1 !== undefined && !primitive.extensions?.KHR_draco_mesh_compression) {
        const index = primitive.attributes.WEIGHTS_0;
        const accessor = await this.parser.getDependency("accessor", index);
        const copy = new Float64Array(4 * accessor.count);
        for (let i = 0; i < copy.length; ++i) copy[i] = accessor.getComponent(i >> 2, i & 3);
        this.firstWeights.set(index, copy);
      }
  }

  async afterRoot(gltf: GLTF): Promise<void> {
    await this.drive(gltf);
    const shown = await this.shownMeshes(gltf);
    if (!(await this.mush(gltf, shown))) await this.blendAll(gltf, shown);
  }

  private primitives(): Primitive[] {
    return (this.parser.json.meshes ?? []).flatMap((mesh: { primitives: Primitive[] }) => mesh.primitives);
  }

  private async shownMeshes(gltf: GLTF): Promise<Shown[]> {
    const { json } = this.parser;
    const primitiveOf = new Map<BufferGeometry | Object3D, Primitive>(),
      skinOf = new Map<Skeleton, number>();
    for (let m = 0; m < (json.meshes?.length ?? 0); ++m) {
      const object: Object3D = await this.parser.getDependency("mesh", m);
      const meshes = (json.meshes[m].primitives.length === 1 ? [object] : object.children) as SkinnedMesh[];
      meshes.forEach((mesh, p) =>
        primitiveOf.set(mesh, json.meshes[m].primitives[p]).set(mesh.geometry, json.meshes[m].primitives[p]),
      );
    }
    for (let s = 0; s < (json.skins?.length ?? 0); ++s) skinOf.set(await this.parser.getDependency("skin", s), s);
    const shown: Shown[] = [];
    for (const scene of gltf.scenes)
      scene.traverse((object) => {
        const mesh = object as SkinnedMesh;
        if (!mesh.isSkinnedMesh) return;
        // GLTFLoader clones what several nodes show, and primitives with the same accessors share a geometry.
        const { meshes, primitives } = (this.parser.associations.get(mesh) ?? {}) as {
          meshes?: number;
          primitives?: number;
        };
        const primitive =
          primitiveOf.get(mesh) ??
          (meshes === undefined ? primitiveOf.get(mesh.geometry) : json.meshes[meshes].primitives[primitives ?? 0]);
        const skin = skinOf.get(mesh.skeleton) ?? this.sameSkin(mesh, skinOf);
        if (primitive && skin !== undefined) shown.push({ mesh, primitive, skin });
      });
    return shown;
  }

  /** A scene that repeats nodes of another has clones of their skeletons, which share the inverse matrices. */
  private sameSkin(mesh: SkinnedMesh, skinOf: Map<Skeleton, number>): number | undefined {
    for (const [skeleton, skin] of skinOf) if (skeleton.boneInverses === mesh.skeleton.boneInverses) return skin;
    return undefined;
  }

  /** Returns whether the file is skinned by its payload. */
  private async mush(gltf: GLTF, shown: Shown[]): Promise<boolean> {
    const objectOf = ({ primitive }: Shown) => primitive.extensions?.[mushName] as PayloadObject | undefined;
    if (!shown.some(objectOf)) return false;
    try {
      const rows = new Map<BufferGeometry, PrimitiveRows>(),
        objects = new Map<BufferGeometry, PayloadObject>();
      const first = objectOf(shown.find(objectOf)!)!;
      for (const one of shown) {
        const object = objectOf(one);
        if (!object) throw new PayloadError(`${one.mesh.name || "a skinned mesh"} has none`);
        checkObject(object);
        if (object.variant !== first.variant || recordsOf(object) !== recordsOf(first))
          throw new PayloadError("its primitives disagree");
        this.checkHashes(one, object);
        const view: ArrayBuffer = await this.parser.getDependency("bufferView", object.bufferView);
        const known = objects.get(one.mesh.geometry);
        if (known === object) continue;
        if (known) one.mesh.geometry = one.mesh.geometry.clone();
        const { geometry, skeleton } = one.mesh;
        objects.set(geometry, object);
        rows.set(geometry, readRows(object, view, geometry.attributes.position.count, skeleton.bones.length));
      }
      this.adopt(gltf, shown, rows, first, (one) => objectOf(one)!.space);
      return true;
    } catch (error) {
      // also what reading a buffer view that does not exist throws
      const why = error instanceof Error ? error.message : String(error);
      console.warn(`@pelt/three: ${mushName} is not used, the plain skin plays: ${why}. Mush the file again.`);
      return false;
    }
  }

  private checkHashes({ mesh, skin }: Shown, object: PayloadObject): void {
    if (object.positionHash !== positionHash(mesh.geometry.attributes.position))
      throw new PayloadError(`the mesh ${mesh.name} was edited since`);
    const { json } = this.parser;
    const joints = json.skins[skin].joints.map((node: number, j: number) => ({
      name: json.nodes[node].name ?? "",
      inverseBind: mesh.skeleton.boneInverses[j].elements,
    }));
    if (object.jointsHash !== jointsHash(joints)) throw new PayloadError("the skeleton was edited since");
  }

  /** Linear blending with all joints of a vertex where some have more than four. */
  private async blendAll(gltf: GLTF, shown: Shown[]): Promise<void> {
    const rows = new Map<BufferGeometry, PrimitiveRows>();
    const wide = shown.filter(({ mesh, primitive }) => {
      if (primitive.attributes.JOINTS_1 === undefined) return false;
      const weights = weightRows(mesh.geometry, this.firstWeights.get(primitive.attributes.WEIGHTS_0));
      if (weights) rows.set(mesh.geometry, weights);
      return weights !== null;
    });
    if (wide.length > 0) this.adopt(gltf, wide, rows, null, () => undefined);
  }

  /** Makes the meshes skinned by these rows; each skin has a skeleton for each space that its meshes are in. */
  private adopt(
    gltf: GLTF,
    shown: Shown[],
    primitives: Map<BufferGeometry, PrimitiveRows>,
    payload: PayloadObject | null,
    spaceOf: (one: Shown) => number[] | undefined,
  ): void {
    const variant = payload?.variant ?? null,
      content = payload ? recordsOf(payload) : Content.full;
    const rows = new SkinRows(primitives, formOf("ddm", variant ?? "v5", true));
    const skeletons = new Map<Skeleton, Map<string, PeltSkeleton>>();
    for (const one of shown) {
      const { mesh } = one,
        numbers = spaceOf(one) ?? new Matrix4().elements,
        key = numbers.join();
      const { bones, boneInverses } = mesh.skeleton;
      const ofSkin = skeletons.get(mesh.skeleton) ?? new Map<string, PeltSkeleton>();
      skeletons.set(mesh.skeleton, ofSkin);
      const data: SkinData = { rows, variant, content, space: new Matrix4().fromArray(numbers), settings: this };
      const skeleton = ofSkin.get(key) ?? new PeltSkeleton(bones, boneInverses, data, depthOf(bones[0], gltf.scenes));
      ofSkin.set(key, skeleton);
      PeltSkinnedMesh.from(mesh, skeleton);
      mesh.geometry.addEventListener("dispose", () => {
        rows.texture.dispose();
        skeleton.dispose();
      });
    }
  }

  private async drive(gltf: GLTF): Promise<void> {
    const { json } = this.parser;
    const extension = json.extensions?.[drivenName] as { version: number; joints: DrivenObject[] } | undefined;
    if (!extension) return;
    const problem =
      extension.version !== 1 || !Array.isArray(extension.joints)
        ? `its version is ${extension.version}, this reader knows 1`
        : firstProblem(extension.joints, json.nodes.length);
    if (problem) return console.warn(`@pelt/three: ${drivenName} is not used, the clips' keys play: ${problem}.`);
    for (const entry of extension.joints) {
      const bone: Object3D = await this.parser.getDependency("node", entry.node);
      const named = new Map<number, Object3D>();
      for (const node of namedBy(entry)) named.set(node, await this.parser.getDependency("node", node));
      if ((bone as Object3D & { isBone?: boolean }).isBone) DrivenBone.from(bone, entry, named);
    }
    for (const scene of gltf.scenes) scene.updateMatrixWorld(true);
  }
}

function firstProblem(joints: DrivenObject[], nodes: number): string | null {
  const driven = new Set(joints.map((joint) => joint?.node));
  if (driven.size < joints.length) return "a node is driven twice";
  for (let i = 0; i < joints.length; ++i) {
    const problem = problemOf(joints[i], nodes);
    if (problem) return `joint ${i} ${problem}`;
    if (namedBy(joints[i]).some((node) => driven.has(node))) return `joint ${i} follows one that comes later`;
    driven.delete(joints[i].node);
  }
  return null;
}

/** How many levels a bone is below the scene that it came with. */
function depthOf(bone: Object3D, scenes: Object3D[]): number {
  let depth = 0;
  for (let object: Object3D | null = bone; object && !scenes.includes(object); object = object.parent) ++depth;
  return depth;
}
