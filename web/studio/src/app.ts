import { RowSkin } from "@pelt/three";
import * as THREE from "three";
import { Engine } from "./engine/engine.js";
import { MakerClient } from "./engine/maker.js";
import type { Curves, FrameRequest, Loaded, MethodSpec } from "./engine/protocol.js";
import { attributeOf, mapsOf, withMaps } from "./file/attributes.js";
import type { Sequence } from "./file/sequences.js";
import { PoseSolver } from "./pose.js";
import { clipRange, specOf } from "./specs.js";
import { own } from "./state/scope.js";
import type { Keeper, KeptFile } from "./state/keep.js";
import { defaultSettings, type MapName, type Maps, type Settings } from "./state/settings.js";
import type { Store } from "./state/store.js";
import { errorsAt } from "./view/colors.js";
import { readMaterials } from "./view/materials.js";
import { Model } from "./view/model.js";
import type { Views } from "./view/views.js";

export type Notice = { text: string; kind: "error" | "info" };
type AppEvent = "file" | "frame" | "curves" | "busy" | "notice" | "result" | "sequence";

/** What was made last, and how it is shown. */
export interface Result {
  name: string;
  bytes: Uint8Array;
  report: any;
  /** It has the vertices of the open file and can be compared with it. */
  comparable: boolean;
}

/** The open file, what is computed for it, and everybody who wants to know. */
export class App {
  readonly engine = new Engine();
  readonly maker = new MakerClient();
  readonly pose: PoseSolver;
  file: KeptFile | null = null;
  model: Model | null = null;
  curves: Curves | null = null;
  result: Result | null = null;
  sequence: Sequence | null = null;
  /** The maps that the file came with. */
  fileMaps: Maps = {};
  notice: Notice | null = null;
  busy: string | null = null;
  /** How many frames have come from the worker. */
  poses = 0;
  /** Skin matrices of what is shown. */
  matrices: Float32Array | null = null;
  private readonly listeners = new Map<AppEvent, Set<() => void>>();
  private spare: Float32Array[] = [];
  private dirty = false;
  private pumping: Promise<void> | null = null;
  private sentMaps: Maps = {};
  private slow: number | undefined;
  private curvesKey = "";

  constructor(
    readonly store: Store,
    readonly keeper: Keeper,
    readonly views: Views,
  ) {
    this.pose = new PoseSolver(this);
    this.engine.onReady = () => this.refresh();
    this.engine.fits = (rows) => RowSkin.textureSize(rows) <= views.stage.renderer.capabilities.maxTextureSize;
    store.subscribe((changed) => {
      const onlyTime = changed.size === 1 && changed.has("time");
      if (onlyTime) this.refresh();
      if (onlyTime && store.state.playing) return; // a clip that plays is no change worth keeping
      keeper.saveSettings(store.state);
      if (onlyTime) return;
      this.forgetCurves();
      const drawn = [
        "hiddenParts",
        "shading",
        "wireframe",
        "skeleton",
        "names",
        "joint",
        "divider",
        "layout",
        "heat",
        "heatTop",
        "theme",
        "camera",
        "playing",
      ];
      const unknown = this.needVertices && !this.views.known;
      if (unknown || [...changed].some((key) => !drawn.includes(key))) this.refresh();
      this.views.show(store.state);
    });
  }

  on(event: AppEvent, listener: () => void): void {
    if (!this.listeners.has(event)) this.listeners.set(event, new Set());
    this.listeners.get(event)!.add(listener);
    own(() => this.listeners.get(event)!.delete(listener));
  }

  emit(event: AppEvent): void {
    for (const listener of this.listeners.get(event) ?? []) listener();
  }

  get loaded(): Loaded | null {
    return this.model?.loaded ?? null;
  }

  get range(): [number, number] {
    if (this.store.state.activity === "pose") return [0, this.pose.seconds];
    return this.loaded ? clipRange(this.store.state.clip, this.loaded) : [0, 0];
  }

  tell(text: string | null, kind: Notice["kind"] = "error"): void {
    this.notice = text === null ? null : { text, kind };
    this.emit("notice");
  }

  async during<T>(what: string, work: () => Promise<T>): Promise<T> {
    this.busy = what;
    this.emit("busy");
    try {
      return await work();
    } finally {
      this.busy = null;
      this.emit("busy");
    }
  }

  /** Opens a character. What is open stays if this one cannot be read. `settings`: as they were kept. */
  async load(bytes: Uint8Array, name: string, settings?: Settings): Promise<void> {
    const loaded = await this.during(`Opening ${name}`, () => this.engine.load(blobOf(bytes), name)).catch((error) => {
      this.tell(sentence(error));
      throw error;
    });
    this.model?.dispose();
    this.model = new Model(loaded);
    this.file = { name, bytes };
    [this.curves, this.curvesKey, this.result, this.sentMaps, this.matrices] = [null, "", null, {}, null];
    this.spare = [];
    this.pose.reset();
    this.tell(null);
    const { theme, activity } = this.store.state;
    const maps = loaded.info.ddm ? {} : mapsOf(bytes, loaded.vertexCount); // a mushed file shows what it stores
    const fresh: Settings = { ...defaultSettings(), theme, activity, ...firstClip(loaded), maps, camera: null };
    this.fileMaps = maps;
    this.store.reset({ ...fresh, ...settings });
    this.views.setModel(this.model, this.store.state);
    this.emit("file");
    await this.firstPicture(this.model, this.store.state.camera === null);
    await this.settled();
    void this.readMaterials(bytes, this.model);
    await this.keeper
      .saveFile(this.file, this.store.state)
      .catch(() =>
        this.tell(`${name} is too large for this browser's storage: a reload will not bring it back.`, "info"),
      );
  }

  /** Linear blend skinning takes no preparation: something to see, and the camera on it, while the rest is prepared. */
  private async firstPicture(model: Model, turn: boolean): Promise<void> {
    const { clip, time } = this.store.state,
      methods = this.store.state.methods.map(() => ({ method: "lbs", options: {} }));
    const frame = await this.engine.frame({ clip, time, methods, vertices: true, spare: [] }).catch(() => null);
    if (frame && this.model === model) this.views.setFrame(frame);
    this.views.refit(turn);
  }

  private async readMaterials(bytes: Uint8Array, model: Model): Promise<void> {
    try {
      await readMaterials(model, bytes);
    } catch (error) {
      console.info(`materials are shown as clay: ${error}`);
    }
    if (this.model === model) this.views.show(this.store.state);
  }

  /** What is shown has to be computed again. */
  refresh(): void {
    this.dirty = true;
    if (this.model && !this.pumping) this.pumping = this.pump().finally(() => (this.pumping = null));
  }

  /** Resolves when what is set is shown. */
  async settled(): Promise<void> {
    if (this.dirty && !this.pumping) this.refresh();
    for (let work = this.unfinished(); work; work = this.unfinished()) await work;
  }

  private unfinished(): Promise<void> | null {
    return this.pumping ?? (this.model ? this.engine.pending() : null);
  }

  /** What is shown is older than what is set. */
  get behind(): boolean {
    return this.dirty || this.unfinished() !== null;
  }

  specs(): MethodSpec[] {
    return this.store.state.methods.map((method) => {
      const spec = specOf(method, this.store.state);
      return method === "result"
        ? { method, options: { stored: this.result?.report?.verb === "mush" ? "ddm" : "lbs" } }
        : spec;
    });
  }

  /** One request at a time, always for the latest settings: a dragged slider never queues up work. */
  private async pump(): Promise<void> {
    while (this.dirty && this.model) {
      this.dirty = false;
      const model = this.model;
      try {
        await this.sendMaps();
        const frame = await this.engine.frame(await this.request());
        this.showPreparing(frame.preparing);
        if (model !== this.model) continue;
        this.matrices = frame.matrices;
        ++this.poses;
        this.spare.push(...this.views.setFrame(frame, this.curves && errorsAt(this.curves, this.store.state.time)));
        this.emit("frame");
        this.dirty ||= this.needVertices && !this.views.known; // paused since it was asked for
      } catch (error) {
        this.showPreparing(false);
        this.tell(sentence(error));
      }
    }
    if (!this.engine.pending()) this.refreshCurves();
  }

  /** Told after a moment: what is ready at once is not worth a word. */
  private showPreparing(preparing: boolean): void {
    if (!preparing) {
      clearTimeout(this.slow);
      this.slow = undefined;
      this.views.setPreparing(false);
    } else {
      this.slow ??= window.setTimeout(() => this.views.setPreparing(true), 180);
    }
  }

  private async request(): Promise<FrameRequest> {
    const { clip, time, activity } = this.store.state;
    const shown = activity === "pose" ? this.pose.start : { clip, time };
    if (activity === "pose") this.showPreparing(true); // the first time, the solver is prepared
    const posed = activity === "pose" ? await this.pose.solve() : undefined;
    return { ...shown, methods: this.specs(), posed, vertices: this.needVertices, spare: this.spare.splice(0) };
  }

  /** While a clip plays, the GPU alone has the vertices, except of what is drawn from their distances or by them. */
  private get needVertices(): boolean {
    const { playing, activity, heat, layout, methods } = this.store.state;
    return !playing || (methods.length > 1 && (layout === "silhouettes" || (heat && activity === "compare")));
  }

  /** Painted maps reach the worker as attributes of the file. */
  private async sendMaps(): Promise<void> {
    const { maps } = this.store.state;
    if (
      Object.entries(maps).every(([name, map]) => this.sentMaps[name as keyof Maps] === map) &&
      Object.keys(maps).length === Object.keys(this.sentMaps).length
    )
      return;
    this.sentMaps = maps;
    this.curvesKey = "";
    await this.engine.paint(
      Object.fromEntries(Object.entries(maps).map(([name, map]) => [attributeOf(name as MapName), map])),
    );
  }

  /** The open file with what was painted on it. */
  bytesWithMaps(): Uint8Array {
    return withMaps(this.file!.bytes, this.store.state.maps);
  }

  private questionOfCurves(): string {
    const { clip } = this.store.state;
    return JSON.stringify([clip, this.specs(), this.result?.name]);
  }

  /** Errors of other methods or of another clip are not shown a moment longer. */
  private forgetCurves(): void {
    if (!this.curves || this.questionOfCurves() === this.curvesKey) return;
    this.curves = null;
    this.emit("curves");
  }

  /** Errors over the clip, whenever two methods are compared and nothing moves. */
  private refreshCurves(): void {
    const { activity, clip, methods } = this.store.state;
    if (activity !== "compare" || methods.length < 2 || !this.model) return;
    const specs = this.specs(),
      key = this.questionOfCurves();
    if (key === this.curvesKey) return;
    this.curvesKey = key;
    this.curves = null;
    this.emit("curves");
    this.engine.curves(clip, specs).then(
      (curves) => {
        if (!curves || key !== this.questionOfCurves()) return;
        this.curves = curves;
        this.views.setErrorTop(
          Math.max(...curves.curves.map((curve) => curve.max.reduce((a, b) => Math.max(a, b), 0))),
        );
        this.emit("curves");
      },
      (error) => this.tell(sentence(error)),
    );
  }

  async setResult(result: Omit<Result, "comparable">): Promise<void> {
    const comparable = this.model !== null && (await this.engine.setResult(blobOf(result.bytes), result.name));
    this.result = { ...result, comparable };
    this.curvesKey = "";
    this.emit("result");
    this.refresh();
  }

  /** The box around what is shown, or around a joint and its neighbors. */
  boxShown(): THREE.Box3 {
    const joint = this.views.chosenJoint();
    if (joint === null || !this.model) return this.views.box();
    return new THREE.Box3().setFromCenterAndSize(joint, new THREE.Vector3().setScalar(this.model.diagonal * 0.22));
  }
}

export function sentence(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (/^\S*[./]/.test(text)) return text; // begins with the name of a file
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Workers read a file by themselves: the page sends no copies of it. */
const blobOf = (bytes: Uint8Array) => new Blob([bytes as Uint8Array<ArrayBuffer>]);

function firstClip(loaded: Loaded): Partial<Settings> {
  const first = loaded.clips[0],
    methods = loaded.joints.length === 0 ? ["lbs"] : ["ddm"];
  if (!first && loaded.joints.length === 0) return { clip: null, time: 0, playing: false, methods };
  return { methods, clip: first ? first.name : "@range", time: first ? first.start : 0, playing: true };
}
