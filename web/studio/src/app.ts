import { type VerbRow, VerbWorker } from "@pelt/core";
import { RowSkin } from "@pelt/three";
import * as THREE from "three";
import { ClipErrors } from "./clip_errors.js";
import { Engine } from "./engine/engine.js";
import type { Curves, Frame, FrameRequest, FreePose, Loaded, MethodSpec } from "./engine/protocol.js";
import { Normals } from "./engine/normals.js";
import { attributeOf, mapsOf, withMaps } from "./file/attributes.js";
import { isGlb } from "./file/glb.js";
import type { Sequence } from "./file/sequences.js";
import { PoseSolver } from "./pose/solver.js";
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
type AppEvent = "file" | "frame" | "curves" | "busy" | "notice" | "result" | "sequence" | "verbs" | "pose";

/** What was made last, and how it is shown. */
export interface Result {
  name: string;
  bytes: Uint8Array;
  /** Of several characters: all of them. */
  levels?: Uint8Array[];
  report: any;
  /** It has the vertices of the open file and can be compared with it. */
  comparable: boolean;
}

/** The open file, what is computed for it, and everybody who wants to know. */
export class App {
  readonly engine = new Engine();
  readonly maker = new VerbWorker();
  readonly pose: PoseSolver;
  readonly errors = new ClipErrors(this);
  /** The table of verbs, and as far as it is there. */
  readonly verbs: Promise<VerbRow[]> = this.engine.verbs();
  table: VerbRow[] = [];
  file: KeptFile | null = null;
  model: Model | null = null;
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
  private pumping = false;
  /** How many changes asked for a frame, and how many of them are in the frame that is shown. */
  private requested = 0;
  private answered = 0;
  private frame: Promise<void> = Promise.resolve();
  private sentMaps: Maps = {};
  private slow: number | undefined;

  constructor(
    readonly store: Store,
    readonly keeper: Keeper,
    readonly views: Views,
  ) {
    this.pose = new PoseSolver(this);
    this.engine.onReady = () => this.refresh();
    void this.verbs.then((table) => {
      this.table = table;
      this.emit("verbs");
    });
    this.engine.fits = (rows) => RowSkin.textureSize(rows) <= views.stage.renderer.capabilities.maxTextureSize;
    store.subscribe((changed) => {
      const onlyTime = changed.size === 1 && changed.has("time");
      if (onlyTime) this.refresh();
      if (onlyTime && store.state.playing) return; // the time of a playing clip is not worth keeping
      keeper.saveSettings(store.state);
      if (onlyTime) return;
      this.errors.forgetOld();
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

  /** Errors over the clip, once they are measured. */
  get curves(): Curves | null {
    return this.errors.curves;
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
    [this.result, this.sentMaps, this.matrices] = [null, {}, null];
    this.errors.reset();
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
    const kept = this.keeper
      .saveFile(this.file, this.store.state)
      .catch(() =>
        this.tell(`${name} is too large for this browser's storage: a reload will not bring it back.`, "info"),
      );
    await this.firstPicture(this.model, this.store.state.camera === null);
    void this.readMaterials(bytes, this.model);
    await this.settled();
    await kept;
  }

  /** Linear blend skinning takes no preparation: something to see, and the camera on it, while the rest is prepared. */
  private async firstPicture(model: Model, turn: boolean): Promise<void> {
    const { clip, time } = this.store.state,
      methods = this.store.state.methods.map(() => ({ method: "lbs", options: {} }));
    const frame = await this.engine.frame({ clip, time, methods, vertices: true, spare: [] }).catch(() => null);
    if (frame && this.model === model && !this.unbound) this.views.setFrame(frame);
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
    ++this.requested;
    if (this.model && !this.pumping) void this.pump();
  }

  /** Resolves when what is set now is shown. What changes meanwhile, such as the time of a clip, is not waited for. */
  async settled(): Promise<void> {
    if (this.dirty && !this.pumping) this.refresh();
    let requested = this.requested;
    while (this.model) {
      const preparing = this.engine.pending() ?? this.pose.free.pending();
      if (this.answered < requested) {
        await this.frame;
      } else if (this.pose.moving && this.pumping) {
        await this.frame; // the free pose comes nearer to its minimum
      } else if (preparing) {
        await preparing;
        requested = this.requested;
      } else {
        return;
      }
    }
  }

  /** What is shown is older than what is set. */
  get behind(): boolean {
    return this.dirty || this.pumping || (this.model !== null && this.engine.pending() !== null);
  }

  specs(): MethodSpec[] {
    return this.store.state.methods.map((method) => {
      const spec = specOf(method, this.store.state);
      return method === "result"
        ? { method, options: { stored: storesMore(this.result?.report) ? "ddm" : "lbs" } }
        : spec;
    });
  }

  /** One request at a time, always for the latest settings: a dragged slider never queues up work. */
  private async pump(): Promise<void> {
    this.pumping = true;
    while (this.dirty && this.model) await (this.frame = this.showFrame(this.model));
    this.pumping = false;
    if (!this.engine.pending()) this.errors.measure();
  }

  private async showFrame(model: Model): Promise<void> {
    const { requested } = this;
    this.dirty = false;
    try {
      await this.sendMaps();
      const frame = await this.nextFrame();
      if (model !== this.model) return;
      this.showPreparing(frame.preparing);
      this.matrices = frame.matrices;
      ++this.poses;
      const spare = this.views.setFrame(frame, this.curves && errorsAt(this.curves, this.store.state.time));
      if (this.spare.length === 0) this.spare = spare; // those of a free pose stay where they are
      this.emit("frame");
      if (this.pose.moving || (this.needVertices && !this.views.known)) this.refresh(); // paused since the request
    } catch (error) {
      if (model !== this.model) return; // it was about the file that was open before
      this.showPreparing(false);
      this.tell(sentence(error));
    } finally {
      this.answered = requested;
    }
  }

  /** Shown after a moment: nothing is said about what is ready at once. */
  private showPreparing(preparing: boolean): void {
    if (!preparing) {
      clearTimeout(this.slow);
      this.slow = undefined;
      this.views.setPreparing(false);
    } else {
      this.slow ??= window.setTimeout(() => this.views.setPreparing(true), 180);
    }
  }

  private async nextFrame(): Promise<Frame> {
    const posing = this.store.state.activity === "pose";
    if (this.unbound) return this.restFrame();
    if (posing) this.showPreparing(true); // the first time, the solver is prepared
    const pose = posing && this.pose.isFree ? await this.pose.solveFree() : null;
    if (!pose) this.pose.moving = false;
    return pose ? this.freeFrame(pose) : this.engine.frame(await this.request(posing));
  }

  /** There is a skeleton, but no weights by which it would move the mesh. */
  get unbound(): boolean {
    return this.loaded !== null && this.loaded.joints.length > 0 && this.loaded.weights.values.length === 0;
  }

  private restFrame(): Frame {
    const { positions, triangles, joints } = this.loaded!,
      normals = new Normals(positions, new Float32Array(positions.length), triangles);
    const views = this.store.state.methods.map(() => ({
      positions: positions.slice(),
      normals: normals.of(positions),
      rows: null,
    }));
    const matrices = Float32Array.from({ length: 16 * joints.length }, (_, i) => ((i % 16) % 5 === 0 ? 1 : 0));
    return { matrices, bones: null, views, preparing: false };
  }

  /** The free pose is more than bones: all views show its own vertices. */
  private freeFrame({ positions, normals, matrices }: FreePose): Frame {
    const views = this.store.state.methods.map((_, i) =>
      i === 0 ? { positions, normals } : { positions: positions.slice(), normals: normals.slice() },
    );
    return { matrices, bones: null, views, preparing: this.pose.free.pending() !== null };
  }

  private async request(posing: boolean): Promise<FrameRequest> {
    const { clip, time } = this.store.state;
    const shown = posing ? this.pose.start : { clip, time };
    const posed = posing && !this.pose.isFree ? await this.pose.solve() : undefined;
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
    this.errors.outdate();
    await this.engine.paint(
      Object.fromEntries(Object.entries(maps).map(([name, map]) => [attributeOf(name as MapName), map])),
    );
  }

  /** The open file with what was painted on it. */
  bytesWithMaps(): Uint8Array {
    return withMaps(this.file!.bytes, this.store.state.maps);
  }

  async setResult(result: Omit<Result, "comparable">): Promise<void> {
    const shown = isGlb(result.bytes) && this.model !== null,
      comparable = shown && (await this.engine.setResult(blobOf(result.bytes), result.name));
    this.result = { ...result, comparable };
    const { methods } = this.store.state,
      others = methods.filter((method) => method !== "result");
    if (!comparable && others.length < methods.length)
      this.store.change({ methods: others.length > 0 ? others : ["lbs"], heat: false });
    this.errors.outdate();
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

/** Whether a verb's result has more than a plain skin. */
const storesMore = (report: any) => report?.verb === "mush" || report?.signed !== undefined;

/** Workers read a file by themselves: the page sends no copies of it. */
const blobOf = (bytes: Uint8Array) => new Blob([bytes as Uint8Array<ArrayBuffer>]);

function firstClip(loaded: Loaded): Partial<Settings> {
  const unbound = loaded.joints.length > 0 && loaded.weights.values.length === 0;
  if (unbound) return { clip: null, time: 0, playing: false, methods: ["lbs"], skeleton: true };
  const first = loaded.clips[0],
    methods = loaded.joints.length === 0 ? ["lbs"] : ["ddm"];
  if (!first && loaded.joints.length === 0) return { clip: null, time: 0, playing: false, methods };
  return { methods, clip: first ? first.name : "@range", time: first ? first.start : 0, playing: true };
}
