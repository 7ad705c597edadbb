import type { Vector3 } from "three";
import type { App } from "../app.js";
import { Picker } from "../view/picker.js";
import type { Rectangle } from "../view/stage.js";

const reach = 16;

/** What is under the pointer. */
export class Pick {
  private readonly picker = new Picker();

  constructor(private readonly app: App) {
    app.store.subscribe((changed) => changed.has("hiddenParts") && this.picker.forget());
  }

  /** The view at a point of the canvas, and its area. */
  areaAt(x: number, y: number): [number, Rectangle] | null {
    const view = this.app.views.viewAt(x, y);
    return view < 0 ? null : [view, this.app.views.areas[view]];
  }

  vertexAt(x: number, y: number): number {
    const found = this.areaAt(x, y),
      { model, views, store } = this.app;
    if (!found || !model) return -1;
    const ray = views.stage.ray(x, y, found[1]);
    return this.picker.pick(model, views.views[found[0]].surface.positions, ray, store.state.hiddenParts);
  }

  /** The place at rest in the middle of the limb under the pointer. */
  insideAt(x: number, y: number): Vector3 | null {
    const found = this.areaAt(x, y),
      { model, views, store } = this.app;
    if (!found || !model) return null;
    const ray = views.stage.ray(x, y, found[1]);
    return this.picker.inside(model, views.views[found[0]].surface.positions, ray, store.state.hiddenParts);
  }

  jointAt(x: number, y: number): number {
    const found = this.areaAt(x, y),
      { views } = this.app;
    if (!found || !views.skeleton) return -1;
    return views.skeleton.nearest(x, y, (point) => views.stage.project(point, found[1]), reach);
  }
}
