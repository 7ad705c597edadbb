import { Vector3 } from "three";
import type { App } from "../app.js";
import { FreeEngine } from "../engine/free.js";
import type { FreePose, FreeRequest, Moment, Posed } from "../engine/protocol.js";
import type { PoseHandle, PoseKey, Triple } from "../state/settings.js";
import {
  fileHandle,
  mirrored,
  restPlace,
  subjectOf,
  type Targets,
  targetsAt,
  targetsOf,
  transformMatrix,
} from "./handles.js";
import { poseTools } from "./tools.js";

/** Handles and keys of the pose, and how the solvers are given them. */
export class PoseSolver {
  readonly free = new FreeEngine();
  /** True while the targets of the handles are newer than the keys. */
  edited = false;
  /** The moment of a clip that was shown before: a pose may start from there. */
  before: Moment | null = null;
  /** Of the free pose: the energies of the last pictures, and whether it still comes nearer to its minimum. */
  energies: number[] = [];
  moving = false;
  /** What the free pose was asked for last, and how many iterations it has had since. */
  private solvedText = "";
  private iterations = 0;

  constructor(private readonly app: App) {
    this.free.onReady = () => app.refresh();
    this.free.onProgress = () => app.emit("pose");
    queueMicrotask(() =>
      this.app.store.subscribe((changed) => {
        if (!changed.has("handles") && !changed.has("time")) return;
        this.edited = changed.has("handles") && !changed.has("keys");
      }),
    );
  }

  /** For another file. */
  reset(): void {
    const { file } = this.app;
    this.edited = this.moving = false;
    this.before = null;
    this.energies = [];
    if (file) this.free.open(new Blob([file.bytes as Uint8Array<ArrayBuffer>]), file.name);
  }

  get seconds(): number {
    return Math.max(2, this.app.store.state.keys.at(-1)?.time ?? 0);
  }

  /** A mesh without joints has no bones that could keep their length. */
  get isFree(): boolean {
    return this.app.store.state.manner === "free" || this.app.loaded?.joints.length === 0;
  }

  /** What the character looks like before a handle moves it. */
  get start(): Moment {
    return this.app.store.state.poseFrom ?? { clip: null, time: 0 };
  }

  /** Options of `pelt pose` that do the same. */
  options(): Record<string, unknown> {
    const { poseFrom, limits } = this.app.store.state,
      from = poseFrom ? { clip: poseFrom.clip, at: poseFrom.time } : {};
    if (this.isFree) return { ...from, free: true, ...this.energyOptions() };
    return { ...from, ...(limits ? { limits } : {}) };
  }

  private energyOptions(): Record<string, unknown> {
    const { energy, clusters, extraWeights } = this.app.store.state;
    return {
      energy,
      ...(clusters === null ? {} : { clusters }),
      ...(extraWeights > 0 ? { extraWeights } : {}),
    };
  }

  /** The pose of rigid bones that the handles give; undefined where nothing is held. */
  async solve(): Promise<Posed | undefined> {
    const { handles, keys, time, limits } = this.app.store.state,
      { start } = this;
    if (handles.length === 0) return undefined;
    const given = this.isKeyed ? this.file().handles : this.fileHandles(this.targets());
    const at = this.isKeyed ? Math.min(Math.max(time, keys[0].time), keys.at(-1)!.time) : undefined;
    return { matrices: await this.app.engine.pose({ handles: given, start, limits, time: at }), start };
  }

  /** The free pose a step nearer to its minimum; null where nothing is held, or where it is not ready yet. */
  async solveFree(): Promise<FreePose | null> {
    if (this.app.store.state.handles.length === 0 || poseTools.atRest) return null;
    const request = this.freeRequest(),
      text = JSON.stringify(request),
      pose = await this.free.pose(request);
    if (!pose) return null;
    this.iterations = (text === this.solvedText ? this.iterations : 0) + pose.energies.length;
    this.solvedText = text;
    this.energies = [...this.energies, ...pose.energies].slice(-courseLength);
    const [before, last] = [this.energies.at(-1 - window), this.energies.at(-1)];
    const falls = this.iterations <= window || before! - last! > 2e-7 * before!;
    this.moving = pose.energies.length > 0 && falls && this.iterations < most;
    this.app.emit("pose");
    return pose;
  }

  private freeRequest(): FreeRequest {
    const { free: _, ...options } = this.options();
    return { handles: this.fileHandles(this.targets()), options, jointed: this.app.loaded!.joints.length > 0 };
  }

  /** What is shown lies between keys, and not where the handles were dragged since. */
  private get isKeyed(): boolean {
    return this.app.store.state.keys.length > 0 && !this.edited;
  }

  /** Where the handles are in what is shown: dragged, or between the keys at this moment. */
  targets(): Targets {
    const { handles, keys, time } = this.app.store.state;
    return this.isKeyed ? targetsAt(handles, keys, time) : targetsOf(handles);
  }

  /** Changes where a handle is dragged to, or how it is turned or scaled. */
  drag(index: number, change: Partial<Pick<PoseHandle, "offset" | "rotation" | "scale">>): void {
    const handles = this.shownHandles().map((handle, h) => (h === index ? { ...handle, ...change } : handle));
    this.app.store.change({ handles }, `drag ${index}`);
  }

  /** Changes something else of a handle: its kind, its name. */
  edit(index: number, change: Partial<PoseHandle>): void {
    const handles = this.shownHandles().map((old, h) => (h === index ? { ...old, ...change } : old));
    this.app.store.change({ handles });
  }

  /** Changes where a handle takes hold. */
  place(index: number, change: Pick<PoseHandle, "vertices" | "segment">): void {
    const handles = this.app.store.state.handles.map((old, h) => (h === index ? { ...old, ...change } : old));
    this.app.store.change({ handles }, `place ${index}`);
  }

  add(given: PoseHandle): void {
    const { keys } = this.app.store.state,
      handle = this.onSkin(given);
    const longer = keys.map((key): PoseKey => ({
      ...key,
      offsets: [...key.offsets, [0, 0, 0]],
      ...(key.rotations ? { rotations: [...key.rotations, [0, 0, 0]] } : {}),
    }));
    this.app.store.change({ handles: [...this.shownHandles(), handle], keys: longer });
  }

  /** The handles with the targets that are shown. */
  private shownHandles(): PoseHandle[] {
    const { offsets, rotations } = this.targets();
    return this.app.store.state.handles.map((handle, h) => ({
      ...handle,
      offset: offsets[h],
      ...(handle.rotation || rotations[h].some((angle) => angle !== 0) ? { rotation: rotations[h] } : {}),
    }));
  }

  /** The handle of the other side; false where nothing corresponds. */
  mirror(index: number): boolean {
    const { info, joints, positions } = this.app.loaded!,
      places = joints.map(({ name }, j) => ({ name, place: info.joints[j].position as Triple }));
    const made = mirrored(this.shownHandles()[index], positions, places),
      key = made && JSON.stringify(subjectOf(made));
    if (!made || this.app.store.state.handles.some((handle) => JSON.stringify(subjectOf(handle)) === key)) return false;
    this.add(made);
    return true;
  }

  /** Vertices of props are held by the joint that carries them. */
  private onSkin(handle: PoseHandle): PoseHandle {
    const { info, weights, joints } = this.app.loaded!,
      props = info.props?.reduce((sum: number, { vertices }: { vertices: number }) => sum + vertices, 0) ?? 0,
      skinned = this.app.loaded!.vertexCount - props;
    const own = handle.vertices?.filter((vertex) => vertex < skinned);
    if (!own || own.length === handle.vertices!.length) return handle;
    if (own.length > 0) return { ...handle, vertices: own };
    const joint = weights.joints[weights.offsets[handle.vertices![0]]];
    return { joint: joints[joint]?.name, pinned: handle.pinned, offset: handle.offset };
  }

  remove(index: number): void {
    const { handles, keys } = this.app.store.state;
    const without = <T>(list: T[]) => list.filter((_, h) => h !== index);
    this.app.store.change({
      handles: without(handles),
      keys: keys.map((key) => ({
        ...key,
        offsets: without(key.offsets),
        ...(key.rotations ? { rotations: without(key.rotations) } : {}),
      })),
    });
  }

  /** Where a handle is now. */
  placeOf(handle: PoseHandle): Vector3 | null {
    const { views, loaded } = this.app,
      { joint, vertices, segment } = handle;
    if (joint) {
      const index = loaded?.joints.findIndex(({ name }) => name === joint) ?? -1;
      return index >= 0 ? views.skeleton!.at(index) : null;
    }
    if (segment) return this.endsOf(handle)![0];
    const positions = views.views[0]?.surface.positions,
      center = new Vector3();
    if (!positions) return null;
    for (const v of vertices!) center.add(new Vector3().fromArray(positions, 3 * v));
    return center.divideScalar(vertices!.length);
  }

  /** Where the ends of a segment are dragged to. */
  endsOf(handle: PoseHandle): [Vector3, Vector3] | null {
    const { segment } = handle;
    if (!segment) return null;
    const index = this.app.store.state.handles.indexOf(handle),
      { offsets, rotations } = this.targets();
    const [a, b] = segment.map((place) => new Vector3(...place)) as [Vector3, Vector3];
    if (poseTools.atRest || index < 0 || handle.pinned) return [a, b];
    const move = transformMatrix(segment[0], offsets[index], rotations[index], handle.scale ?? 1);
    return [a.applyMatrix4(move), b.applyMatrix4(move)];
  }

  /** Keeps the shown targets at the current moment. */
  setKey(): void {
    const { keys, time } = this.app.store.state,
      { offsets, rotations } = this.targets();
    const key: PoseKey = { time, offsets, ...(rotations.flat().some((angle) => angle !== 0) ? { rotations } : {}) };
    const others = keys.filter((other) => Math.abs(other.time - time) > 1e-3);
    this.edited = false;
    this.app.store.change({ keys: [...others, key].sort((a, b) => a.time - b.time) });
  }

  deleteKey(): void {
    const { keys, time } = this.app.store.state;
    this.app.store.change({ keys: keys.filter((key) => Math.abs(key.time - time) > 1e-3) });
  }

  /** The handles file that `pelt pose` takes: one pose, or the keys over time. */
  file(): { handles: object[] } {
    const { handles, keys } = this.app.store.state,
      now = this.targets();
    if (keys.length === 0) return { handles: this.fileHandles(now) };
    return {
      handles: handles.map((handle, h) =>
        fileHandle(
          handle,
          this.restPlaceOf(handle),
          { offset: now.offsets[h], rotation: now.rotations[h] },
          keys.map((key) => ({ time: key.time, offset: key.offsets[h], rotation: key.rotations?.[h] ?? [0, 0, 0] })),
        ),
      ),
    };
  }

  private fileHandles({ offsets, rotations }: Targets): Record<string, unknown>[] {
    return this.app.store.state.handles.map((handle, h) =>
      fileHandle(handle, this.restPlaceOf(handle), { offset: offsets[h], rotation: rotations[h] }),
    );
  }

  private restPlaceOf(handle: PoseHandle): Triple {
    const { info, joints, positions } = this.app.loaded!;
    return restPlace(
      handle,
      positions,
      (name) => info.joints[joints.findIndex((joint) => joint.name === name)]?.position,
    );
  }
}

/**
 * A pose has come to rest where the energy hardly falls in so many iterations, or after so many in all. In single
 * precision less can be seen of it than in `pelt pose`, which stops at a millionth.
 */
const window = 100;
const most = 3000;
/** So many iterations are in the course of the energy. */
const courseLength = 600;
