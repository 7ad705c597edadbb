import type { App } from "../app.js";
import type { Brush } from "../view/brush.js";
import { Pick } from "./pick.js";
import { PosePointer } from "./pose_pointer.js";

/** What the pointer does in the views: choosing joints, pulling handles, painting. */
export class Pointer {
  readonly pose: PosePointer;
  private readonly pick: Pick;
  private down: { x: number; y: number } | null = null;
  private stroke: Float32Array | null = null;

  constructor(
    private readonly app: App,
    private readonly brush: Brush,
  ) {
    const { canvas } = app.views.stage;
    this.pick = new Pick(app);
    this.pose = new PosePointer(app, this.pick);
    canvas.addEventListener("pointerdown", (event) => this.onDown(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.onMove(event));
    canvas.addEventListener("pointerup", (event) => this.onUp(event));
    canvas.addEventListener("pointercancel", () => this.end());
  }

  private onDown(event: PointerEvent): void {
    if (!this.app.model || event.button !== 0) return;
    const [x, y] = [event.offsetX, event.offsetY],
      { activity } = this.app.store.state;
    this.down = { x, y };
    this.app.store.hold();
    if (activity === "tune" && this.brush.map) this.beginStroke(event);
    else if (activity === "pose" && this.pose.begin(event)) this.hold(event);
  }

  private onMove(event: PointerEvent): void {
    if (this.stroke) this.paintAt(event.offsetX, event.offsetY);
    this.pose.move(event.offsetX, event.offsetY);
  }

  private onUp(event: PointerEvent): void {
    const still = this.down && Math.hypot(event.offsetX - this.down.x, event.offsetY - this.down.y) < 4;
    if (still && !this.stroke && !this.pose.busy && event.button === 0) this.choose(event.offsetX, event.offsetY);
    this.end();
  }

  private end(): void {
    const { store, views } = this.app;
    if (this.stroke && this.brush.map) {
      views.liveMap = null;
      store.change({ maps: { ...store.state.maps, [this.brush.map]: this.stroke } });
    }
    this.pose.end();
    store.release();
    this.stroke = this.down = null;
    views.stage.controls.enabled = true;
  }

  /** A click: the joint under it, or the one that moves the skin there most. */
  private choose(x: number, y: number): void {
    const { store, loaded } = this.app;
    if (!loaded || loaded.joints.length === 0) return;
    let joint = store.state.skeleton ? this.pick.jointAt(x, y) : -1;
    if (joint < 0) {
      const vertex = this.pick.vertexAt(x, y);
      if (vertex < 0) return store.change({ joint: null });
      joint = heaviest(loaded.weights, vertex);
    }
    if (joint >= 0) store.change({ joint: loaded.joints[joint].name });
  }

  private beginStroke(event: PointerEvent): void {
    const { store, model, views } = this.app,
      map = this.brush.map!;
    if (this.pick.vertexAt(event.offsetX, event.offsetY) < 0) return;
    this.hold(event);
    store.change({ playing: false });
    this.stroke = store.state.maps[map]?.slice() ?? new Float32Array(model!.loaded.vertexCount).fill(1);
    views.liveMap = this.stroke;
    this.paintAt(event.offsetX, event.offsetY);
  }

  private paintAt(x: number, y: number): void {
    const vertex = this.pick.vertexAt(x, y);
    if (vertex < 0) return;
    this.brush.touch(this.app.model!, vertex, this.stroke!);
    this.app.views.show(this.app.store.state);
  }

  private hold(event: PointerEvent): void {
    const { canvas, controls } = this.app.views.stage;
    controls.enabled = false;
    canvas.setPointerCapture(event.pointerId);
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
