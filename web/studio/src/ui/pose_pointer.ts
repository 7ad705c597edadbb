import * as THREE from "three";
import type { App } from "../app.js";
import { nearestVertex, turned } from "../pose/handles.js";
import { poseTools } from "../pose/tools.js";
import type { PoseHandle, Triple } from "../state/settings.js";
import type { Rectangle } from "../view/stage.js";
import type { Pick } from "./pick.js";

const handleReach = 9;
const regionRadius = 0.05;

/** A handle that is dragged. */
interface Drag {
  handle: number;
  /** Where the handle was, and the plane of the camera through it. */
  from: THREE.Vector3;
  plane: THREE.Plane;
  grab: { x: number; y: number };
  start: { offset: Triple; rotation: Triple; scale: number };
  area: Rectangle;
  /** Of a segment at rest: which end. */
  end: 0 | 1;
}

type Point = { x: number; y: number };

/** Pulling, turning and scaling handles, and drawing new ones. */
export class PosePointer {
  /** Pulls go along this axis alone while its key is held. */
  axis: "x" | "y" | "z" | null = null;
  private drag: Drag | null = null;
  private segmentFrom: THREE.Vector3 | null = null;

  constructor(
    private readonly app: App,
    private readonly pick: Pick,
  ) {}

  get busy(): boolean {
    return Boolean(this.drag || poseTools.sketch || poseTools.painted);
  }

  /** True where the press has taken hold of something, so that the camera stays. */
  begin({ offsetX: x, offsetY: y, shiftKey, ctrlKey }: PointerEvent): boolean {
    const picks = shiftKey ? "point" : ctrlKey ? "region" : poseTools.picks;
    let handle = this.handleAt(x, y);
    if (handle < 0 && (picks === "lasso" || picks === "segment" || picks === "brush"))
      return this.beginSketch(picks, x, y);
    if (handle < 0)
      handle = picks === "joint" ? this.holdJoint(x, y) : this.holdSkin(x, y, picks as "point" | "region");
    if (handle < 0) return false;
    const { joint } = this.app.store.state.handles[handle];
    if (joint) this.app.store.change({ joint });
    this.beginPull(handle, x, y);
    return true;
  }

  move(x: number, y: number): void {
    if (poseTools.painted) this.paint(x, y);
    else if (poseTools.sketch) this.draw(x, y);
    else if (this.drag && poseTools.atRest) this.moveAtRest(x, y);
    else if (this.drag) this.pull(x, y);
  }

  end(): void {
    const { segmentFrom } = this,
      { sketch, painted } = poseTools;
    poseTools.sketch = poseTools.painted = this.segmentFrom = this.drag = null;
    if (painted && painted.size > 0) this.addRegion([...painted]);
    else if (sketch && segmentFrom) this.addSegment(segmentFrom, sketch.points.at(-1)!);
    else if (sketch?.closed) this.addRegion(this.verticesWithin(sketch.points));
    if (sketch || painted) this.app.views.show(this.app.store.state);
  }

  private beginSketch(picks: "lasso" | "segment" | "brush", x: number, y: number): boolean {
    if (picks === "segment" && this.app.loaded!.joints.length > 0) {
      this.app.tell("Segments are for meshes without joints; this character has bones of its own.", "info");
      return false;
    }
    this.app.store.change({ playing: false });
    if (picks === "brush") {
      if (this.pick.vertexAt(x, y) < 0) return false;
      poseTools.painted = new Set();
      this.paint(x, y);
      return true;
    }
    if (picks === "segment" && !(this.segmentFrom = this.pick.insideAt(x, y))) return false;
    poseTools.sketch = { points: [{ x, y }], closed: picks === "lasso" };
    return true;
  }

  private draw(x: number, y: number): void {
    const { points, closed } = poseTools.sketch!;
    if (!closed) points.length = 1;
    points.push({ x, y });
    this.app.views.stage.invalidate();
  }

  private paint(x: number, y: number): void {
    const vertex = this.pick.vertexAt(x, y);
    if (vertex >= 0) for (const v of this.regionAround(vertex)) poseTools.painted!.add(v);
  }

  private addRegion(vertices: number[]): void {
    if (vertices.length === 0) return this.app.tell("There is no skin within this outline.", "info");
    this.app.pose.add({ vertices, pinned: false, offset: [0, 0, 0] });
  }

  private addSegment(from: THREE.Vector3, { x, y }: Point): void {
    const [, area] = this.pick.areaAt(x, y) ?? [];
    let to = this.pick.insideAt(x, y);
    if (!to && area) {
      const facing = this.app.views.stage.camera.getWorldDirection(new THREE.Vector3()),
        plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, from);
      to = this.app.views.stage.ray(x, y, area).intersectPlane(plane, new THREE.Vector3());
    }
    if (!to || to.distanceTo(from) < 1e-3 * this.app.model!.diagonal)
      return this.app.tell("Drag from one end of the segment to the other.", "info");
    this.app.pose.add({
      segment: [from.toArray(), to.toArray()],
      pinned: false,
      constraint: "full",
      offset: [0, 0, 0],
    });
  }

  /** Vertices that are seen within an outline, those behind included. */
  private verticesWithin(outline: Point[]): number[] {
    const { views, loaded } = this.app,
      [view, area] = this.pick.areaAt(outline[0].x, outline[0].y) ?? [-1];
    if (view < 0) return [];
    const { positions } = views.views[view].surface,
      found: number[] = [];
    for (let v = 0; v < loaded!.vertexCount; ++v) {
      const place = views.stage.project(new THREE.Vector3().fromArray(positions, 3 * v), area!);
      if (isWithin(place, outline)) found.push(v);
    }
    return found;
  }

  /** The handle that is drawn at a point, or -1. */
  private handleAt(x: number, y: number): number {
    const { store, views, pose } = this.app,
      found = this.pick.areaAt(x, y);
    if (!found) return -1;
    const near = (at: THREE.Vector3 | null | undefined) => {
      if (!at) return false;
      const shown = views.stage.project(at, found[1]);
      return Math.hypot(shown.x - x, shown.y - y) < handleReach;
    };
    return store.state.handles.findIndex(
      (handle) => near(pose.placeOf(handle)) || (handle.segment !== undefined && near(pose.endsOf(handle)?.[1])),
    );
  }

  /** A new handle for the joint under the pointer. */
  private holdJoint(x: number, y: number): number {
    const joint = this.pick.jointAt(x, y);
    if (joint < 0) return -1;
    const { name } = this.app.loaded!.joints[joint],
      { handles } = this.app.store.state;
    const known = handles.findIndex((other) => other.joint === name);
    if (known >= 0) return known;
    this.app.pose.add({ joint: name, pinned: false, offset: [0, 0, 0] });
    return handles.length;
  }

  /** A new handle for the skin under the pointer. */
  private holdSkin(x: number, y: number, picks: "point" | "region"): number {
    const vertex = this.pick.vertexAt(x, y),
      { handles } = this.app.store.state;
    if (vertex < 0) return -1;
    const vertices = picks === "region" ? this.regionAround(vertex) : [vertex];
    this.app.pose.add({ vertices, pinned: false, offset: [0, 0, 0] });
    return handles.length;
  }

  private beginPull(index: number, x: number, y: number): void {
    const { store, views, pose } = this.app,
      handle = store.state.handles[index],
      from = pose.placeOf(handle);
    if (!from || (handle.pinned && !poseTools.atRest)) return;
    const facing = views.stage.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, from);
    const [, area] = this.pick.areaAt(x, y)!,
      { offsets, rotations } = pose.targets();
    const start = { offset: offsets[index], rotation: rotations[index], scale: handle.scale ?? 1 };
    this.drag = { handle: index, plane, from, grab: { x, y }, start, area, end: this.endAt(handle, x, y, area) };
    store.change({ playing: false });
  }

  private endAt(handle: PoseHandle, x: number, y: number, area: Rectangle): 0 | 1 {
    const ends = this.app.pose.endsOf(handle)?.map((end) => this.app.views.stage.project(end, area));
    if (!ends) return 0;
    const [a, b] = ends.map((end) => Math.hypot(end.x - x, end.y - y));
    return b < a ? 1 : 0;
  }

  private pull(x: number, y: number): void {
    const { handle: index, start, end } = this.drag!,
      { pose, store } = this.app,
      handle = store.state.handles[index];
    // The free end of a segment turns it.
    const does = handle.segment && end === 1 && poseTools.does === "move" ? "turn" : poseTools.does;
    if (does === "move") {
      if (handle.constraint === "rotation") pose.edit(index, { constraint: "full" });
      return this.moveTo(x, y);
    }
    if (!this.canTurn(handle)) return;
    if (does === "turn" && (handle.constraint ?? "position") === "position") pose.edit(index, { constraint: "full" });
    const { angle, ratio } = this.around(x, y);
    if (does === "turn") pose.drag(index, { rotation: turned(start.rotation, this.turnAxis(), angle) });
    else pose.drag(index, { scale: Math.min(10, Math.max(0.1, Number((start.scale * ratio).toFixed(3)))) });
  }

  /** On a character, skin has a position and nothing else; and bones keep their size. */
  private canTurn(handle: PoseHandle): boolean {
    const jointed = this.app.loaded!.joints.length > 0;
    if (!jointed || (handle.joint && poseTools.does !== "scale")) return true;
    this.app.tell(
      handle.joint
        ? "Joints are moved and turned; handles of a mesh without joints can be scaled."
        : "Points and regions of a character are moved; turn a joint instead.",
      "info",
    );
    return false;
  }

  private moveTo(x: number, y: number): void {
    const { grab, start, handle } = this.drag!,
      [before, after] = [this.placeUnder(grab.x, grab.y), this.placeUnder(x, y)];
    if (!before || !after) return;
    const moved = after.sub(before).toArray();
    this.app.pose.drag(handle, { offset: [0, 1, 2].map((c) => start.offset[c] + moved[c]) as Triple });
  }

  /** How far the pointer has gone around the handle since the press, and how much farther away it is. */
  private around(x: number, y: number): { angle: number; ratio: number } {
    const { from, grab, area } = this.drag!,
      center = this.app.views.stage.project(from, area);
    const [ax, ay, bx, by] = [grab.x - center.x, grab.y - center.y, x - center.x, y - center.y];
    // A press on the handle itself begins to turn beside it.
    const far = Math.hypot(ax, ay) > handleReach;
    if (!far) return { angle: (x - grab.x) / 100, ratio: Math.exp((x - grab.x) / 100) };
    return { angle: -(Math.atan2(by, bx) - Math.atan2(ay, ax)), ratio: Math.hypot(bx, by) / Math.hypot(ax, ay) };
  }

  /** Towards the eye, or the chosen axis. */
  private turnAxis(): THREE.Vector3 {
    const axis = this.axis ?? poseTools.axis;
    if (axis) return axisOf(axis);
    return this.app.views.stage.camera.getWorldDirection(new THREE.Vector3()).negate();
  }

  /** Changes where a handle takes hold. */
  private moveAtRest(x: number, y: number): void {
    const { handle: index, end } = this.drag!,
      { pose, store, loaded } = this.app,
      handle = store.state.handles[index];
    if (handle.segment) {
      const place = this.pick.insideAt(x, y);
      if (!place) return;
      const segment = [...handle.segment] as [Triple, Triple];
      segment[end] = place.toArray();
      return pose.place(index, { segment });
    }
    const vertex = this.pick.vertexAt(x, y);
    if (!handle.vertices || vertex < 0) return;
    if (handle.vertices.length === 1) return pose.place(index, { vertices: [vertex] });
    const { positions } = loaded!,
      center = this.app.pose.placeOf(handle)!;
    const shift = new THREE.Vector3().fromArray(positions, 3 * vertex).sub(center);
    const moved = handle.vertices.map((v) =>
      nearestVertex(positions, [0, 1, 2].map((c) => positions[3 * v + c] + shift.getComponent(c)) as Triple),
    );
    pose.place(index, { vertices: [...new Set(moved)] });
  }

  /** The point of the plane of the camera, or of the chosen axis, that the pointer is at. */
  private placeUnder(x: number, y: number): THREE.Vector3 | null {
    const { plane, from, area } = this.drag!,
      ray = this.app.views.stage.ray(x, y, area),
      axis = this.axis ?? poseTools.axis;
    if (!axis) return ray.intersectPlane(plane, new THREE.Vector3());
    const along = axisOf(axis);
    const toRay = ray.origin.clone().sub(from),
      slope = along.dot(ray.direction);
    if (1 - slope * slope < 1e-4) return null; // looking along the axis: nothing to see of it
    const t = (along.dot(toRay) - slope * ray.direction.dot(toRay)) / (1 - slope * slope);
    return from.clone().addScaledVector(along, t);
  }

  private regionAround(vertex: number): number[] {
    const { positions } = this.app.loaded!,
      radius = regionRadius * this.app.model!.diagonal;
    const [x, y, z] = positions.subarray(3 * vertex, 3 * vertex + 3),
      found: number[] = [];
    for (let v = 0; v < positions.length / 3; ++v)
      if (Math.hypot(positions[3 * v] - x, positions[3 * v + 1] - y, positions[3 * v + 2] - z) < radius) found.push(v);
    return found;
  }
}

const axisOf = (axis: "x" | "y" | "z") =>
  new THREE.Vector3(Number(axis === "x"), Number(axis === "y"), Number(axis === "z"));

/** By the number of edges that a ray to the right crosses. */
function isWithin({ x, y }: Point, outline: Point[]): boolean {
  let inside = false;
  outline.forEach((b, i) => {
    const a = outline.at(i - 1)!;
    if (a.y > y !== b.y > y && x < a.x + ((b.x - a.x) * (y - a.y)) / (b.y - a.y)) inside = !inside;
  });
  return inside;
}
