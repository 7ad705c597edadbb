import * as THREE from "three";
import type { App } from "../app.js";
import type { Brush } from "../view/brush.js";
import { Picker } from "../view/picker.js";
import type { Rectangle } from "../view/stage.js";

const reach = 16;
const regionRadius = 0.05;

/** What the pointer does in the views: choosing joints, pulling handles, painting. */
export class Pointer {
  private readonly picker = new Picker();
  private down: { x: number; y: number } | null = null;
  private drag: { handle: number; plane: THREE.Plane; from: THREE.Vector3; start: number[]; area: Rectangle } | null =
    null;
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
    const { offsetX: x, offsetY: y } = event,
      { store, loaded, pose } = this.app;
    let handle = -1;
    if (event.shiftKey || event.ctrlKey) {
      const vertex = this.vertexAt(x, y);
      if (vertex < 0) return;
      pose.add({ vertices: event.ctrlKey ? this.regionAround(vertex) : [vertex], pinned: false, offset: [0, 0, 0] });
      handle = store.state.handles.length - 1;
    } else {
      const joint = this.jointAt(x, y);
      if (joint < 0) return;
      const { name } = loaded!.joints[joint];
      handle = store.state.handles.findIndex((other) => other.joint === name);
      if (handle < 0) {
        pose.add({ joint: name, pinned: false, offset: [0, 0, 0] });
        handle = store.state.handles.length - 1;
      }
      store.change({ joint: name });
    }
    this.hold(event);
    this.beginPull(handle, x, y);
  }

  private beginPull(handle: number, x: number, y: number): void {
    const { store, views, pose } = this.app,
      from = pose.placeOf(store.state.handles[handle]);
    if (store.state.handles[handle].pinned || !from) return;
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(
      views.stage.camera.getWorldDirection(new THREE.Vector3()),
      from,
    );
    this.drag = { handle, plane, from, start: pose.offsets()[handle], area: this.areaAt(x, y)![1] };
    store.change({ playing: false });
  }

  private pull(x: number, y: number): void {
    const { plane, from, start, handle, area } = this.drag!;
    const at = this.app.views.stage.ray(x, y, area).intersectPlane(plane, new THREE.Vector3());
    if (!at) return;
    const moved = at
      .sub(from)
      .toArray()
      .map((d, c) => (this.axis && "xyz"[c] !== this.axis ? 0 : d));
    this.app.pose.drag(handle, [0, 1, 2].map((c) => start[c] + moved[c]) as [number, number, number]);
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
