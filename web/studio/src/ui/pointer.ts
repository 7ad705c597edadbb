import * as THREE from "three";
import type { App } from "../app.js";
import type { Brush } from "../view/brush.js";
import { Picker } from "../view/picker.js";
import { poseTools } from "./pose_tools.js";
import type { Rectangle } from "../view/stage.js";

const reach = 16;
const handleReach = 9;
const regionRadius = 0.05;

interface Drag {
  handle: number;
  /** Where the handle was, and the plane of the camera through it. */
  from: THREE.Vector3;
  plane: THREE.Plane;
  grab: { x: number; y: number };
  start: number[];
  area: Rectangle;
}

/** What the pointer does in the views: choosing joints, pulling handles, painting. */
export class Pointer {
  private readonly picker = new Picker();
  private down: { x: number; y: number } | null = null;
  private drag: Drag | null = null;
  private stroke: Float32Array | null = null;
  /** Pulls go along this axis alone while its key is held. */
  axis: "x" | "y" | "z" | null = null;

  constructor(
    private readonly app: App,
    private readonly brush: Brush,
  ) {
    const { canvas } = app.views.stage;
    canvas.addEventListener("pointerdown", (event) => this.onDown(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.onMove(event));
    canvas.addEventListener("pointerup", (event) => this.onUp(event));
    canvas.addEventListener("pointercancel", () => this.end());
    app.store.subscribe((changed) => changed.has("hiddenParts") && this.picker.forget());
  }

  private onDown(event: PointerEvent): void {
    if (!this.app.model || event.button !== 0) return;
    const [x, y] = [event.offsetX, event.offsetY],
      { activity } = this.app.store.state;
    this.down = { x, y };
    if (activity === "tune" && this.brush.map) this.beginStroke(event);
    else if (activity === "pose") this.beginDrag(event);
  }

  private onMove(event: PointerEvent): void {
    if (this.stroke) this.paintAt(event.offsetX, event.offsetY);
    if (this.drag) this.pull(event.offsetX, event.offsetY);
  }

  private onUp(event: PointerEvent): void {
    const still = this.down && Math.hypot(event.offsetX - this.down.x, event.offsetY - this.down.y) < 4;
    if (still && !this.stroke && !this.drag && event.button === 0) this.choose(event.offsetX, event.offsetY);
    this.end();
  }

  private end(): void {
    const { store, views } = this.app;
    if (this.stroke && this.brush.map) {
      views.liveMap = null;
      store.change({ maps: { ...store.state.maps, [this.brush.map]: this.stroke } });
    }
    this.stroke = this.drag = this.down = null;
    views.stage.controls.enabled = true;
  }

  private areaAt(x: number, y: number): [number, Rectangle] | null {
    const view = this.app.views.viewAt(x, y);
    return view < 0 ? null : [view, this.app.views.areas[view]];
  }

  private vertexAt(x: number, y: number): number {
    const found = this.areaAt(x, y),
      { model, views, store } = this.app;
    if (!found || !model) return -1;
    const ray = views.stage.ray(x, y, found[1]);
    return this.picker.pick(model, views.views[found[0]].surface.positions, ray, store.state.hiddenParts);
  }

  private jointAt(x: number, y: number): number {
    const found = this.areaAt(x, y),
      { views } = this.app;
    if (!found || !views.skeleton) return -1;
    return views.skeleton.nearest(x, y, (point) => views.stage.project(point, found[1]), reach);
  }

  /** A click: the joint under it, or the one that moves the skin there most. */
  private choose(x: number, y: number): void {
    const { store, loaded } = this.app;
    if (!loaded || loaded.joints.length === 0) return;
    let joint = store.state.skeleton ? this.jointAt(x, y) : -1;
    if (joint < 0) {
      const vertex = this.vertexAt(x, y);
      if (vertex < 0) return store.change({ joint: null });
      joint = heaviest(loaded.weights, vertex);
    }
    if (joint >= 0) store.change({ joint: loaded.joints[joint].name });
  }

  private beginStroke(event: PointerEvent): void {
    const { store, model, views } = this.app,
      map = this.brush.map!;
    if (this.vertexAt(event.offsetX, event.offsetY) < 0) return;
    this.hold(event);
    store.change({ playing: false });
    this.stroke = store.state.maps[map]?.slice() ?? new Float32Array(model!.loaded.vertexCount).fill(1);
    views.liveMap = this.stroke;
    this.paintAt(event.offsetX, event.offsetY);
  }

  private paintAt(x: number, y: number): void {
    const vertex = this.vertexAt(x, y);
    if (vertex < 0) return;
    this.brush.touch(this.app.model!, vertex, this.stroke!);
    this.app.views.show(this.app.store.state);
  }

  private beginDrag(event: PointerEvent): void {
    const { offsetX: x, offsetY: y } = event;
    const picks = event.shiftKey ? "point" : event.ctrlKey ? "region" : poseTools.picks;
    let handle = this.handleAt(x, y);
    if (handle < 0) handle = picks === "joint" ? this.holdJoint(x, y) : this.holdSkin(x, y, picks);
    if (handle < 0) return;
    const { joint } = this.app.store.state.handles[handle];
    if (joint) this.app.store.change({ joint });
    this.hold(event);
    this.beginPull(handle, x, y);
  }

  /** The handle that is drawn at a point, or -1. */
  private handleAt(x: number, y: number): number {
    const { store, views, pose } = this.app,
      found = this.areaAt(x, y);
    if (!found) return -1;
    return store.state.handles.findIndex((handle) => {
      const at = pose.placeOf(handle);
      if (!at) return false;
      const shown = views.stage.project(at, found[1]);
      return Math.hypot(shown.x - x, shown.y - y) < handleReach;
    });
  }

  /** A new handle for the joint under the pointer. */
  private holdJoint(x: number, y: number): number {
    const joint = this.jointAt(x, y);
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
    const vertex = this.vertexAt(x, y),
      { handles } = this.app.store.state;
    if (vertex < 0) return -1;
    const vertices = picks === "region" ? this.regionAround(vertex) : [vertex];
    this.app.pose.add({ vertices, pinned: false, offset: [0, 0, 0] });
    return handles.length;
  }

  private beginPull(handle: number, x: number, y: number): void {
    const { store, views, pose } = this.app,
      from = pose.placeOf(store.state.handles[handle]);
    if (store.state.handles[handle].pinned || !from) return;
    const facing = views.stage.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, from);
    const [, area] = this.areaAt(x, y)!;
    this.drag = { handle, plane, from, grab: { x, y }, start: pose.offsets()[handle], area };
    store.change({ playing: false });
  }

  private pull(x: number, y: number): void {
    const { grab, start, handle } = this.drag!,
      [before, after] = [this.placeUnder(grab.x, grab.y), this.placeUnder(x, y)];
    if (!before || !after) return;
    const moved = after.sub(before).toArray();
    this.app.pose.drag(handle, [0, 1, 2].map((c) => start[c] + moved[c]) as [number, number, number]);
  }

  /** The point of the plane of the camera, or of the chosen axis, that the pointer is at. */
  private placeUnder(x: number, y: number): THREE.Vector3 | null {
    const { plane, from, area } = this.drag!,
      ray = this.app.views.stage.ray(x, y, area),
      axis = this.axis ?? poseTools.axis;
    if (!axis) return ray.intersectPlane(plane, new THREE.Vector3());
    const along = new THREE.Vector3(Number(axis === "x"), Number(axis === "y"), Number(axis === "z"));
    const toRay = ray.origin.clone().sub(from),
      slope = along.dot(ray.direction);
    if (1 - slope * slope < 1e-4) return null; // looking along the axis: nothing to see of it
    const t = (along.dot(toRay) - slope * ray.direction.dot(toRay)) / (1 - slope * slope);
    return from.clone().addScaledVector(along, t);
  }

  private hold(event: PointerEvent): void {
    const { canvas, controls } = this.app.views.stage;
    controls.enabled = false;
    canvas.setPointerCapture(event.pointerId);
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

function heaviest(
  { offsets, joints, values }: { offsets: Uint32Array; joints: Uint32Array; values: Float32Array },
  vertex: number,
): number {
  let best = -1,
    weight = 0;
  for (let k = offsets[vertex]; k < offsets[vertex + 1]; ++k)
    if (values[k] > weight) [best, weight] = [joints[k], values[k]];
  return best;
}
