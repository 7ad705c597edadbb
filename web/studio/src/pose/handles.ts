// Handles as `pelt pose` takes them, and what can be computed of them without a solver.
import { Euler, Matrix4, Quaternion, Vector3 } from "three";
import type { Constraint, PoseHandle, PoseKey, Triple } from "../state/settings.js";

/** Where handles are at one moment. */
export interface Targets {
  offsets: Triple[];
  rotations: Triple[];
}

export const none: Triple = [0, 0, 0];

/** The world's axes one after the other, as in a handles file. */
const order = "ZYX";

export const constraintOf = ({ constraint, scale }: PoseHandle): Constraint =>
  scale !== undefined && scale !== 1 ? "full" : (constraint ?? "position");

/** "hand_L", "ear", "point 17". */
export function labelOf({ name, joint, vertices, segment }: PoseHandle): string {
  if (name || joint) return (name || joint)!;
  if (segment) return `segment ${segment[0].map((x) => x.toPrecision(2)).join(" ")}`;
  return `${vertices!.length === 1 ? "point" : "region"} ${vertices![0]}`;
}

/** The part of a handle that the weights of a mesh without joints depend on. */
export const subjectOf = ({ joint, vertices, segment }: PoseHandle): object =>
  joint ? { joint } : segment ? { segment } : { region: vertices };

/** Offsets and rotations between keys, as `pelt pose` interpolates them. */
export function targetsAt(handles: readonly PoseHandle[], keys: readonly PoseKey[], time: number): Targets {
  const after = keys.findIndex((key) => key.time >= time),
    b = keys[after < 0 ? keys.length - 1 : after],
    a = after > 0 ? keys[after - 1] : b,
    t = a === b ? 0 : (time - a.time) / (b.time - a.time);
  const between = (from: Triple, to: Triple) => from.map((x, c) => x + t * (to[c] - x)) as Triple;
  return {
    offsets: handles.map((_, h) => between(a.offsets[h], b.offsets[h])),
    rotations: handles.map((_, h) => between(a.rotations?.[h] ?? none, b.rotations?.[h] ?? none)),
  };
}

/** Where the handles are dragged to now. */
export const targetsOf = (handles: readonly PoseHandle[]): Targets => ({
  offsets: handles.map(({ offset }) => offset),
  rotations: handles.map(({ rotation }) => rotation ?? none),
});

/**
 * An entry of a handles file. `place` is where the handle is at rest; a scaled one needs it, since it is given by a matrix.
 * `keys`: all moments instead of one.
 */
export function fileHandle(
  handle: PoseHandle,
  place: Triple,
  { offset, rotation }: { offset: Triple; rotation: Triple },
  keys?: { time: number; offset: Triple; rotation: Triple }[],
): Record<string, unknown> {
  const { joint, name, pinned, scale } = handle,
    constraint = constraintOf(handle);
  const entry: Record<string, unknown> = { ...subjectOf(handle), ...(name && !joint ? { name } : {}) };
  if (pinned) return { ...entry, constraint: "hold" };
  if (constraint === "free") return { ...entry, constraint };
  if (scale !== undefined && scale !== 1)
    return { ...entry, constraint, transform: transformOf(place, offset, rotation, scale) };
  const timed = <T>(of: (key: { time: number; offset: Triple; rotation: Triple }) => T) =>
    keys!.map((key) => [key.time, of(key)]);
  if (constraint !== "rotation") Object.assign(entry, keys ? { offsets: timed((key) => key.offset) } : { offset });
  if (constraint !== "position")
    Object.assign(entry, keys ? { rotations: timed((key) => key.rotation) } : { rotation });
  return { ...entry, constraint };
}

/** From rest to where a handle is dragged: scaled and turned about its place, then moved. By columns. */
export const transformOf = (place: Triple, offset: Triple, rotation: Triple, scale: number): number[] =>
  transformMatrix(place, offset, rotation, scale).toArray();

export function transformMatrix(place: Triple, offset: Triple, rotation: Triple, scale: number): Matrix4 {
  const [p, o] = [new Vector3(...place), new Vector3(...offset)],
    turn = new Quaternion().setFromEuler(eulerOf(rotation));
  const made = new Matrix4().compose(new Vector3(), turn, new Vector3().setScalar(scale));
  return made.setPosition(p.clone().sub(p.clone().applyMatrix4(made)).add(o));
}

const eulerOf = (degrees: Triple) => new Euler(...(degrees.map((d) => (d * Math.PI) / 180) as Triple), order);

/** A rotation in degrees, turned on about an axis of the world. */
export function turned(degrees: Triple, axis: Vector3, angle: number): Triple {
  const turn = new Quaternion().setFromEuler(eulerOf(degrees));
  turn.premultiply(new Quaternion().setFromAxisAngle(axis, angle));
  const { x, y, z } = new Euler().setFromQuaternion(turn, order);
  return [x, y, z].map((radians) => Number(((radians * 180) / Math.PI).toFixed(4))) as Triple;
}

/** Where a handle is at rest; joints are asked for by name. */
export function restPlace(
  { joint, vertices, segment }: PoseHandle,
  positions: Float32Array,
  jointAt: (name: string) => Triple,
): Triple {
  if (joint) return jointAt(joint);
  if (segment) return segment[0];
  const sum = [0, 0, 0];
  for (const v of vertices!) for (let c = 0; c < 3; ++c) sum[c] += positions[3 * v + c];
  return sum.map((x) => x / vertices!.length) as Triple;
}

const flipped = ([x, y, z]: Triple, center: number): Triple => [2 * center - x, y, z];
const flippedTurn = ([x, y, z]: Triple): Triple => [x, -y, -z];

/** The handle of the other side: x is mirrored about the middle of the shape. Null where nothing corresponds. */
export function mirrored(
  handle: PoseHandle,
  positions: Float32Array,
  joints: readonly { name: string; place: Triple }[],
): PoseHandle | null {
  const center = middleOf(positions);
  const made: PoseHandle = {
    ...handle,
    offset: flipped(handle.offset, 0),
    ...(handle.rotation ? { rotation: flippedTurn(handle.rotation) } : {}),
    ...(handle.name ? { name: otherSide(handle.name) } : {}),
  };
  if (handle.segment) made.segment = handle.segment.map((place) => flipped(place, center)) as [Triple, Triple];
  if (handle.vertices) {
    const places = handle.vertices.map((v) => flipped([...positions.subarray(3 * v, 3 * v + 3)] as Triple, center));
    made.vertices = [...new Set(places.map((place) => nearestVertex(positions, place)))];
  }
  if (!handle.joint) return made;
  const own = joints.find(({ name }) => name === handle.joint);
  if (!own) return null;
  const wanted = flipped(own.place, center),
    apart = ({ place }: { place: Triple }) => Math.hypot(...place.map((x, c) => x - wanted[c]));
  const other = joints.reduce((best, joint) => (apart(joint) < apart(best) ? joint : best));
  return other === own ? null : { ...made, joint: other.name };
}

/** "hand_L" and "left hand" on the other side. */
export function otherSide(name: string): string {
  const sides = [
    ["left", "right"],
    ["Left", "Right"],
    ["L", "R"],
    ["l", "r"],
  ];
  for (const [a, b] of sides) {
    const found = new RegExp(`(^|[^A-Za-z])(${a}|${b})(?=$|[^A-Za-z])`).exec(name);
    if (found) return name.replace(found[0], found[1] + (found[2] === a ? b : a));
  }
  return `${name} mirrored`;
}

function middleOf(positions: Float32Array): number {
  let [least, most] = [Infinity, -Infinity];
  for (let i = 0; i < positions.length; i += 3) {
    least = Math.min(least, positions[i]);
    most = Math.max(most, positions[i]);
  }
  return (least + most) / 2;
}

export function nearestVertex(positions: Float32Array, [x, y, z]: Triple): number {
  let best = 0,
    least = Infinity;
  for (let v = 0; v < positions.length / 3; ++v) {
    const d = (positions[3 * v] - x) ** 2 + (positions[3 * v + 1] - y) ** 2 + (positions[3 * v + 2] - z) ** 2;
    if (d < least) [best, least] = [v, d];
  }
  return best;
}
