import { Bone, Matrix4, type Object3D, Quaternion, Vector3 } from "three";
import { followVirtual } from "./virtual.js";

/** An entry of `PELT_driven_joints`; docs/driven_joints.md is its description. */
export interface DrivenObject {
  node: number;
  driver: number;
  kind: string;
  fraction?: number;
  bindRotation?: number[];
  k?: number;
  axis?: number;
  reciprocal?: boolean;
  bindScale?: number;
  parent?: number;
  children?: number[];
  placed?: { translation: number[]; rotation: number[]; scale: number[] };
  scale?: number;
  inputs?: { node: number; bindRotation: number[]; place: number[]; block: number[] }[];
  coefficients?: number[];
}

const isCount = (value: unknown, length: number) =>
  Array.isArray(value) && value.length === length && value.every(Number.isFinite);

/** The nodes that an entry looks at. */
export function namedBy(entry: DrivenObject): number[] {
  const scale = entry.kind === "scale" ? [entry.parent!, ...(entry.children ?? [])] : [];
  return [entry.driver, ...scale, ...(entry.inputs ?? []).map((input) => input.node)];
}

/** Why an entry cannot be used; null where it can. */
export function problemOf(entry: DrivenObject, nodes: number): string | null {
  const isList = (value: unknown) => value === undefined || Array.isArray(value);
  if (typeof entry !== "object" || entry === null || !isList(entry.children) || !isList(entry.inputs))
    return "is malformed";
  if (entry.inputs?.some((input) => typeof input !== "object" || input === null)) return "is malformed";
  const named = namedBy(entry);
  if (![entry.node, ...named].every((n) => Number.isInteger(n) && n >= 0 && n < nodes))
    return "names a node that does not exist";
  if (named.includes(entry.node)) return "follows itself";
  if (entry.kind === "rotation")
    return isCount(entry.bindRotation, 4) && Number.isFinite(entry.fraction) ? null : "lacks fraction or bindRotation";
  if (entry.kind === "scale")
    return Number.isFinite(entry.k) && (entry.axis === 1 || entry.axis === 2) ? null : "lacks k or axis";
  if (entry.kind === "ddm" && !(Number.isFinite(entry.scale ?? 1) && (entry.scale ?? 1) > 0))
    return "has a scale that is not above 0";
  if (entry.kind === "ddm")
    return entry.inputs?.length && entry.inputs.every((i) => isCount(i.place, 12) && isCount(i.block, 16))
      ? null
      : "lacks inputs";
  if (entry.kind !== "learned") return `has the unknown kind "${entry.kind}"`;
  const { placed, inputs, coefficients } = entry;
  if (!placed || !isCount(placed.translation, 3) || !isCount(placed.rotation, 4) || !isCount(placed.scale, 3))
    return "lacks placed";
  if (!inputs?.length || !inputs.every((input) => isCount(input.bindRotation, 4))) return "lacks inputs";
  return isCount(coefficients, 54 * inputs.length) ? null : "has a wrong count of coefficients";
}

/** The way to another object: levels up, then children by index. The same in a clone. */
type Path = { up: number; down: number[] };

function pathTo(from: Object3D, to: Object3D): Path {
  const chain: Object3D[] = [];
  for (let o: Object3D | null = to; o; o = o.parent) chain.push(o);
  let up = 0;
  for (let o: Object3D | null = from; o; o = o.parent, ++up) {
    const at = chain.indexOf(o);
    if (at < 0) continue;
    return {
      up,
      down: chain
        .slice(0, at)
        .reverse()
        .map((child) => child.parent!.children.indexOf(child)),
    };
  }
  throw new Error(`${to.name || "a node"} is in another tree than ${from.name || "its driven joint"}`);
}

function follow(from: Object3D, { up, down }: Path): Object3D | undefined {
  let object: Object3D | null | undefined = from;
  for (; up > 0 && object; --up) object = object.parent;
  for (const index of down) object = object?.children[index];
  return object ?? undefined;
}

const chain = new Matrix4(),
  world = new Matrix4(),
  point = new Vector3(),
  b1 = new Vector3(),
  b2 = new Vector3(),
  at = new Vector3();
const turn = new Quaternion(),
  terms = new Float64Array(9),
  move = new Float64Array(6);

/** A joint whose local transform follows from that of others whenever it is read. */
export class DrivenBone extends Bone {
  private entry!: DrivenObject;
  /** the objects that the entry names, by the numbers of their nodes; in a clone found at first use */
  private named!: Map<number, Object3D>;
  private paths: Map<number, Path> | null = null;
  private own!: { position: Vector3; quaternion: Quaternion };
  /** of a virtual joint: its whole local transform */
  private local!: Matrix4;

  /** The bone itself, which skeletons and animations know, becomes a driven one. */
  static from(bone: Object3D, entry: DrivenObject, named: Map<number, Object3D>): DrivenBone {
    const driven = Object.setPrototypeOf(bone, DrivenBone.prototype) as DrivenBone;
    driven.entry = entry;
    driven.named = named;
    driven.paths = null;
    driven.own = { position: bone.position.clone(), quaternion: bone.quaternion.clone() };
    driven.local = new Matrix4();
    return driven;
  }

  override copy(source: this, recursive?: boolean): this {
    super.copy(source, recursive);
    source.resolve();
    this.entry = source.entry;
    this.own = source.own;
    this.local = new Matrix4();
    this.named = new Map();
    this.paths = new Map();
    for (const [node, object] of source.named) this.paths.set(node, pathTo(source, object));
    return this;
  }

  override updateMatrix(): void {
    this.drive();
    super.updateMatrix();
    if (this.entry.kind === "ddm" && this.paths === null) this.matrix.copy(this.local); // shear, which no scale has
  }

  /** Sets position, quaternion and scale; those of the nodes it looks at must be set. */
  drive(): void {
    if (!this.resolve()) return;
    for (const object of this.named.values()) if (object instanceof DrivenBone) object.drive();
    if (this.entry.kind === "rotation") this.driveRotation();
    else if (this.entry.kind === "scale") this.driveScale();
    else if (this.entry.kind === "ddm") this.driveVirtual();
    else this.driveLearned();
  }

  private resolve(): boolean {
    if (this.paths === null) return true;
    for (const [node, path] of this.paths) {
      const object = follow(this, path);
      if (!object) return false;
      this.named.set(node, object);
    }
    this.paths = null;
    return true;
  }

  private node(index: number): Object3D {
    return this.named.get(index)!;
  }

  private driveRotation(): void {
    const driver = this.node(this.entry.driver);
    this.position.copy(driver.position);
    this.scale.copy(driver.scale);
    turn.copy(driver.quaternion).normalize();
    this.quaternion.fromArray(this.entry.bindRotation!).slerp(turn, this.entry.fraction!);
  }

  private driveScale(): void {
    const { k, axis, reciprocal, bindScale = 1 } = this.entry;
    const driver = this.node(this.entry.driver);
    this.chainTo(driver, this.node(this.entry.parent!), chain);
    at.setFromMatrixPosition(chain);
    b1.copy(at).negate();
    b2.set(0, 0, 0);
    const toParent = chain.clone();
    for (const child of this.entry.children ?? []) {
      this.chainTo(this.node(child), driver, chain);
      b2.add(point.setFromMatrixPosition(chain).applyMatrix4(toParent)).sub(at);
    }
    const lengths = b1.length() * b2.length();
    const cosine = lengths > 0 ? Math.min(Math.max(b1.dot(b2) / lengths, -1), 1) : -1;
    const s = (1 + (k! / 2) * (cosine + 1)) / bindScale;
    this.position.copy(this.own.position);
    this.quaternion.copy(this.own.quaternion);
    this.scale.set(1, 1, 1).setComponent(axis!, reciprocal ? 1 / s : s);
  }

  /** Relative to the top of the tree, then to the own parent. */
  private driveVirtual(): void {
    const frames = this.entry.inputs!.map((input) => {
      this.chainTo(this.node(input.node), null, chain);
      return chain.clone();
    });
    followVirtual(this.entry.inputs!, frames, this.entry.scale ?? 1, world);
    if (this.parent) {
      this.chainTo(this.parent, null, chain);
      world.premultiply(chain.invert());
    }
    this.local.copy(world).decompose(this.position, this.quaternion, this.scale);
  }

  /** From the space of `node` to that of `ancestor` (null: above the tree), by local transforms. */
  private chainTo(node: Object3D, ancestor: Object3D | null, out: Matrix4): void {
    out.identity();
    for (let o: Object3D | null = node; o && o !== ancestor; o = o.parent) {
      if (o.matrixAutoUpdate) o.matrix.compose(o.position, o.quaternion, o.scale);
      out.premultiply(o.matrix);
    }
  }

  private driveLearned(): void {
    const { placed, inputs, coefficients } = this.entry;
    move.fill(0);
    const row = 9 * inputs!.length;
    inputs!.forEach((input, i) => {
      turn
        .fromArray(input.bindRotation)
        .conjugate()
        .multiply(point4(this.node(input.node)));
      const sign = turn.w < 0 ? -1 : 1,
        x = sign * turn.x,
        y = sign * turn.y,
        z = sign * turn.z;
      terms.set([x, y, z, x * x, y * y, z * z, x * y, y * z, z * x]);
      for (let r = 0; r < 6; ++r) for (let t = 0; t < 9; ++t) move[r] += coefficients![r * row + 9 * i + t] * terms[t];
    });
    this.position.fromArray(placed!.translation).add(point.set(move[0], move[1], move[2]));
    point.set(move[3], move[4], move[5]);
    const angle = point.length();
    this.quaternion.fromArray(placed!.rotation);
    if (angle > 0) this.quaternion.premultiply(turn.setFromAxisAngle(point.divideScalar(angle), angle));
    this.scale.fromArray(placed!.scale);
  }
}

const unit = new Quaternion();
const point4 = (object: Object3D) => unit.copy(object.quaternion).normalize();
