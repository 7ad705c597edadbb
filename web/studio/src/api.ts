import type { VerbResult, VerbRow } from "@pelt/core";
import { readPositions } from "@pelt/three";
import type { App } from "./app.js";
import { drop } from "./drop.js";
import { characterBytes } from "./file/open.js";
import { make } from "./make.js";
import { Exact } from "./exact.js";
import { picture } from "./picture.js";
import { defaultSettings, type Settings } from "./state/settings.js";

type SetOptions = Partial<Settings> & { method?: string; clip?: string | number | null };

interface StateExtras {
  file: string | null;
  vertices: number;
  clips: string[];
  /** The first and the last moment of what plays. */
  range: [number, number];
  canUndo: boolean;
  canRedo: boolean;
}

/** `window.studio`: what the page can do, for scripts. */
export class StudioApi {
  private readonly exact: Exact;

  constructor(private readonly app: App) {
    this.exact = new Exact(app);
  }

  /** Opens a character; resolves when it is shown. */
  async load(bytes: Uint8Array | ArrayBuffer | number[], name = "character.glb"): Promise<void> {
    const own = new Uint8Array(bytes instanceof ArrayBuffer ? bytes : Uint8Array.from(bytes));
    await this.exact.start();
    await this.app.load(await characterBytes({ name, bytes: own }, []), name);
  }

  /** Opens files as if they were dropped: characters with their files, sequences. */
  async drop(files: File[]): Promise<void> {
    await drop(this.app, files);
  }

  /** Changes settings; resolves when what is set is shown. A time pauses. */
  async set(options: SetOptions): Promise<void> {
    void this.exact.start();
    const { method, clip, ...others } = options,
      known = defaultSettings();
    const unknown = Object.keys(others).filter((key) => !(key in known));
    if (unknown.length > 0)
      throw new Error(
        `studio.set: no setting ${unknown.join(", ")}; there are method, ${Object.keys(known).join(", ")}`,
      );
    const patch: Partial<Settings> = { ...others };
    if (method !== undefined) patch.methods = [method, ...this.app.store.state.methods.slice(1)];
    if (clip !== undefined) patch.clip = this.clipName(clip);
    if (options.time !== undefined && options.playing === undefined) patch.playing = false;
    this.app.store.change(patch);
    await this.app.settled();
  }

  /** The settings, with the open file's name. */
  state(): Settings & StateExtras {
    const { app } = this;
    void this.exact.start();
    return {
      ...structuredClone(app.store.state),
      file: app.file?.name ?? null,
      vertices: app.loaded?.vertexCount ?? 0,
      clips: app.loaded?.clips.map(({ name }) => name) ?? [],
      range: app.range,
      canUndo: app.store.canUndo,
      canRedo: app.store.canRedo,
    };
  }

  /** The vertices that a view shows, x, y, z in the space of `pelt deform`. Views count from 0. */
  positions(view = 0): Float32Array {
    this.exact.settle();
    const found = this.app.views.views[view];
    if (!found) throw new Error(`studio.positions: there is no view ${view}; open a character or add views first`);
    if (found.error) throw new Error(found.error);
    return found.surface.positions.slice();
  }

  /** The same as the GPU has drawn them, read back; null where the processor's vertices are drawn. */
  async drawn(view = 0): Promise<Float32Array | null> {
    const { views, stage } = this.app.views,
      mesh = views[view]?.surface.skinned;
    return mesh ? readPositions(stage.renderer, mesh) : null;
  }

  /** How many poses have been computed since the page was opened. */
  get poses(): number {
    return this.app.poses;
  }

  /** The table of verbs: what `pelt verbs --json` prints of those that are everywhere. */
  async verbs(): Promise<{ verbs: VerbRow[] }> {
    return { verbs: await this.app.verbs };
  }

  /** Runs a verb on the open file (decompose, fit: on the sequence) and gives the file and its report. */
  async run(verb: string, options: Record<string, unknown> = {}): Promise<VerbResult> {
    return make(this.app, verb, options);
  }

  /** What is shown, as the bytes of a PNG. */
  picture(): Uint8Array {
    this.exact.settle();
    return picture(this.app);
  }

  /** Errors over the clip of each view against the first, once they are measured. */
  curves(): { times: number[]; curves: { rms: number[]; max: number[] }[] } | null {
    const { curves } = this.app;
    return (
      curves && {
        times: [...curves.times],
        curves: curves.curves.map(({ rms, max }) => ({ rms: [...rms], max: [...max] })),
      }
    );
  }

  /** Where the joints are in the first view, in pixels of the canvas. */
  jointPlaces(): { name: string; x: number; y: number }[] {
    const { views, loaded } = this.app;
    return (loaded?.joints ?? []).map(({ name }, j) => {
      const { x, y } = views.stage.project(views.skeleton!.at(j), views.areas[0]);
      return { name, x, y };
    });
  }

  /** Where the handles of the pose are in the first view, in pixels of the canvas. */
  handlePlaces(): { x: number; y: number }[] {
    const { views, pose, store } = this.app;
    return store.state.handles.map((handle) => {
      const { x, y } = views.stage.project(pose.placeOf(handle)!, views.areas[0]);
      return { x, y };
    });
  }

  undo(): void {
    this.app.store.undo();
  }

  redo(): void {
    this.app.store.redo();
  }

  private clipName(clip: string | number | null): string | null {
    const clips = this.app.loaded?.clips ?? [];
    const found = typeof clip === "number" ? clips[clip]?.name : clip;
    if (found === null || found === "@range" || clips.some(({ name }) => name === found)) return found!;
    throw new Error(`studio.set: no clip ${clip}; there are @range, ${clips.map(({ name }) => name).join(", ")}`);
  }
}
