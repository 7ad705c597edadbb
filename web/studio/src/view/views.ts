import * as THREE from "three";
import type { Frame } from "../engine/protocol.js";
import type { MapName, Settings } from "../state/settings.js";
import { errorsOf, paintErrors, paintJoints, paintMap, paintWeights, type ViewError } from "./colors.js";
import type { Model } from "./model.js";
import { makePaints } from "./parts.js";
import { SkeletonView } from "./skeleton.js";
import type { Pane, Rectangle, Stage } from "./stage.js";
import { Surface } from "./surface.js";

/** One method's picture of the character. */
export interface View {
  surface: Surface;
  error?: string;
  /** Against the first view, in the file's units; NaN where it is not measured. */
  rms: number;
  max: number;
}

/** All views of the open character: what they draw, where, and in which colors. */
export class Views {
  views: View[] = [];
  areas: Rectangle[] = [];
  skeleton: SkeletonView | null = null;
  preparing = false;
  /** The end of the scale of errors where none is set. */
  errorTop = 0;
  /** The map that is being painted. */
  map: MapName | null = null;
  /** Its values during a stroke. */
  liveMap: Float32Array | null = null;
  /** Called when labels have to move or change. */
  onChange: () => void = () => undefined;
  private readonly paints = makePaints();
  private model: Model | null = null;
  private settings: Readonly<Settings> | null = null;
  private ghost: THREE.Mesh | null = null;
  private readonly accent = new THREE.Color();

  constructor(readonly stage: Stage) {
    stage.onResize = () => this.settings && this.show(this.settings);
  }

  setModel(model: Model, settings: Readonly<Settings>): void {
    this.dropModel();
    this.model = model;
    this.settings = settings;
    this.skeleton = new SkeletonView(model, this.accent);
    this.stage.setFloor(model.box);
    this.errorTop = 0;
    this.show(settings);
  }

  /** Shows a new frame; gives back the arrays that are free again. `measured`: its errors, if they are known. */
  setFrame(frame: Frame, measured: ViewError[] | null = null): Float32Array[] {
    const spare = frame.views.flatMap((shown, i) => {
      const view = this.views[i];
      if (!view) return [];
      view.error = shown.error;
      return shown.error === undefined ? view.surface.setFrame(shown, frame.bones) : [];
    });
    this.skeleton?.setMatrices(frame.matrices);
    this.measure(measured);
    if (this.settings?.heat) this.paintAll(this.settings);
    this.onChange();
    this.stage.invalidate();
    return spare;
  }

  show(settings: Readonly<Settings>): void {
    this.settings = settings;
    document.documentElement.dataset.theme = settings.theme; // first: the colors below are the theme's
    this.stage.setTheme(cssColor("--stage"), cssColor("--grid"));
    this.paints.wire.color.copy(cssColor("--wire"));
    this.accent.copy(cssColor("--accent"));
    if (!this.model) return;
    this.fit(settings.methods.length);
    this.layOut(settings);
    const colored = this.paintAll(settings);
    this.views.forEach((view, i) => view.surface.show(settings, colored[i]));
    this.skeleton!.setColor(this.accent);
    this.skeleton!.group.visible = settings.skeleton || settings.activity === "pose";
    this.skeleton!.choose(this.model.loaded.joints.findIndex(({ name }) => name === settings.joint));
    this.onChange();
    this.stage.invalidate();
  }

  /** The processor has the vertices of every view that shows what it should. */
  get known(): boolean {
    return this.views.every(({ surface, error }) => error !== undefined || surface.known);
  }

  /** A shape to compare the first view's with, drawn through it; null: none. */
  setGhost(positions: Float32Array | null): void {
    if (this.ghost) {
      this.ghost.removeFromParent();
      this.ghost.geometry.dispose();
    }
    this.ghost = null;
    if (positions && this.model && this.views[0]) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
      geometry.setIndex(new THREE.BufferAttribute(this.model.loaded.triangles, 1));
      geometry.computeVertexNormals();
      this.ghost = new THREE.Mesh(geometry, this.paints.ghost);
      this.paints.ghost.color.copy(this.accent);
      this.ghost.frustumCulled = false;
      this.ghost.renderOrder = 5;
      this.views[0].surface.group.add(this.ghost);
    }
    this.stage.invalidate();
  }

  setPreparing(preparing: boolean): void {
    if (this.preparing === preparing) return;
    this.preparing = preparing;
    this.onChange();
  }

  setErrorTop(top: number): void {
    this.errorTop = top;
    if (this.settings) this.show(this.settings);
  }

  get heatTop(): number {
    return this.settings?.heatTop ?? this.errorTop;
  }

  /** The camera on the whole character. */
  refit(turn: boolean): void {
    if (this.settings?.camera && !turn) return this.restoreCamera(this.settings.camera);
    this.stage.frame(this.box(), turn);
  }

  restoreCamera({ position, target }: { position: number[]; target: number[] }): void {
    this.stage.camera.position.fromArray(position);
    this.stage.controls.target.fromArray(target);
    this.stage.controls.update();
    this.stage.invalidate();
  }

  box(): THREE.Box3 {
    const box = new THREE.Box3();
    if (this.views[0]) box.setFromArray(this.views[0].surface.positions);
    return box;
  }

  chosenJoint(): THREE.Vector3 | null {
    const joint = this.model?.loaded.joints.findIndex(({ name }) => name === this.settings?.joint) ?? -1;
    return joint >= 0 ? this.skeleton!.at(joint) : null;
  }

  /** The view under a point of the canvas. */
  viewAt(x: number, y: number): number {
    return this.stage.paneAt(x, y);
  }

  private paintAll(settings: Readonly<Settings>): boolean[] {
    const { loaded } = this.model!,
      joint = loaded.joints.findIndex(({ name }) => name === settings.joint);
    return this.views.map(({ surface }, i) => {
      if (this.map && settings.activity === "tune") {
        surface.paint((colors) => paintMap(this.liveMap ?? settings.maps[this.map!], loaded.vertexCount, colors));
      } else if (settings.heat && i > 0 && settings.activity === "compare") {
        if (this.known) {
          const first = this.views[0].surface.positions;
          surface.paint((colors) => paintErrors(first, surface.positions, this.heatTop, colors));
        } // else the next frame brings the vertices
      } else if (settings.shading === "weights" && loaded.weights.values.length > 0) {
        surface.paint((colors) =>
          joint >= 0 ? paintWeights(loaded.weights, joint, colors) : paintJoints(loaded.weights, colors),
        );
      } else {
        return false;
      }
      return true;
    });
  }

  private measure(measured: ViewError[] | null): void {
    const [first, ...others] = this.views,
      unknown = { rms: NaN, max: NaN };
    others.forEach((view, i) => {
      const own = this.known ? errorsOf(first.surface.positions, view.surface.positions) : measured?.[i];
      Object.assign(view, (view.error === undefined && own) || unknown);
    });
  }

  private fit(count: number): void {
    while (this.views.length > count) this.views.pop()!.surface.dispose();
    while (this.views.length < count)
      this.views.push({ surface: new Surface(this.model!, this.paints), rms: 0, max: 0 });
  }

  private layOut({ layout, divider, methods }: Readonly<Settings>): void {
    const { width, height } = this.stage,
      whole: Rectangle = { x: 0, y: 0, width, height };
    const objects = this.views.map(({ surface }) => [surface.group, this.skeleton!.group]);
    let panes: Pane[];
    this.stage.outlines = layout === "silhouettes" && methods.length > 1;
    if (methods.length > 1 && layout !== "views") {
      const cut = layout === "divider" ? Math.round(divider * width) : width;
      panes = [
        { objects: objects[0], area: whole, clip: { ...whole, width: cut } },
        { objects: objects[1], area: whole, clip: { ...whole, x: cut, width: width - cut } },
      ];
    } else {
      panes = gridOf(methods.length, width, height).map((area, i) => ({ objects: objects[i], area, clip: area }));
    }
    this.stage.panes = panes;
    this.stage.controls.panSpeed = height / panes[0].area.height; // what is held stays under the pointer
    this.areas = panes.map((pane) => pane.area);
  }

  private dropModel(): void {
    this.setGhost(null);
    for (const { surface } of this.views) surface.dispose();
    this.views = [];
    this.skeleton?.dispose();
  }
}

/** Equal parts of the canvas: columns, or two rows of two. */
function gridOf(count: number, width: number, height: number): Rectangle[] {
  const columns = count === 4 ? 2 : width >= 0.6 * height ? count : 1,
    rows = Math.ceil(count / columns);
  return Array.from({ length: count }, (_, i) => {
    const left = Math.round(((i % columns) * width) / columns),
      top = Math.round((Math.floor(i / columns) * height) / rows);
    const right = Math.round((((i % columns) + 1) * width) / columns);
    const bottom = Math.round(((Math.floor(i / columns) + 1) * height) / rows);
    return { x: left, y: top, width: right - left, height: bottom - top };
  });
}

export function cssColor(name: string): THREE.Color {
  return new THREE.Color(getComputedStyle(document.documentElement).getPropertyValue(name).trim() || "#888");
}
