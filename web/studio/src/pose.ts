import { Vector3 } from "three";
import type { App } from "./app.js";
import type { Moment, Posed } from "./engine/protocol.js";
import type { PoseHandle, PoseKey } from "./state/settings.js";

type Offset = [number, number, number];

/** Handles and keys of the pose, and what the solver is told about them. */
export class PoseSolver {
  /** True while the offsets of the handles are newer than the keys. */
  edited = false;
  /** The moment of a clip that was shown before: a pose may start from there. */
  before: Moment | null = null;

  constructor(private readonly app: App) {
    queueMicrotask(() =>
      this.app.store.subscribe((changed) => {
        if (!changed.has("handles") && !changed.has("time")) return;
        this.edited = changed.has("handles") && !changed.has("keys");
      }),
    );
  }

  reset(): void {
    this.edited = false;
    this.before = null;
  }

  get seconds(): number {
    return Math.max(2, this.app.store.state.keys.at(-1)?.time ?? 0);
  }

  /** What the character looks like before a handle moves it. */
  get start(): Moment {
    return this.app.store.state.poseFrom ?? { clip: null, time: 0 };
  }

  /** Options of `pelt pose` that do the same. */
  options(): Record<string, unknown> {
    const { poseFrom, limits } = this.app.store.state;
    return { ...(poseFrom ? { clip: poseFrom.clip, at: poseFrom.time } : {}), ...(limits ? { limits } : {}) };
  }

  /** The pose that the handles give; undefined where nothing is held. */
  async solve(): Promise<Posed | undefined> {
    const { handles, keys, time, limits } = this.app.store.state,
      { start } = this;
    if (handles.length === 0) return undefined;
    const keyed = keys.length > 0 && !this.edited,
      given = keyed ? this.file().handles : this.fileHandles(this.offsets());
    const at = keyed ? Math.min(Math.max(time, keys[0].time), keys.at(-1)!.time) : undefined;
    return { matrices: await this.app.engine.pose({ handles: given, start, limits, time: at }), start };
  }

  /** The offsets that are shown: those being dragged, or those of the keys at this moment. */
  offsets(): Offset[] {
    const { handles, keys, time } = this.app.store.state;
    if (this.edited || keys.length === 0) return handles.map((handle) => handle.offset);
    return handles.map((_, h) => offsetAt(keys, h, time));
  }

  /** Changes where a handle is dragged to. */
  drag(index: number, offset: Offset): void {
    const shown = this.offsets();
    const handles = this.app.store.state.handles.map((handle, h) => ({
      ...handle,
      offset: h === index ? offset : shown[h],
    }));
    this.app.store.change({ handles }, `drag ${index}`);
  }

  add(given: PoseHandle): void {
    const { handles, keys } = this.app.store.state,
      handle = this.onSkin(given);
    const shown = this.offsets();
    const longer = keys.map((key): PoseKey => ({ ...key, offsets: [...key.offsets, [0, 0, 0]] }));
    const moved = handles.map((old, h) => ({ ...old, offset: shown[h] }));
    this.app.store.change({ handles: [...moved, handle], keys: longer });
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
      keys: keys.map((key) => ({ ...key, offsets: without(key.offsets) })),
    });
  }

  /** Where a handle is now. */
  placeOf({ joint, vertices }: PoseHandle): Vector3 | null {
    const { views, loaded } = this.app;
    if (joint) {
      const index = loaded?.joints.findIndex(({ name }) => name === joint) ?? -1;
      return index >= 0 ? views.skeleton!.at(index) : null;
    }
    const positions = views.views[0]?.surface.positions,
      center = new Vector3();
    if (!positions) return null;
    for (const v of vertices!) center.add(new Vector3().fromArray(positions, 3 * v));
    return center.divideScalar(vertices!.length);
  }

  /** Keeps the shown offsets at the current moment. */
  setKey(): void {
    const { keys, time } = this.app.store.state;
    const key: PoseKey = { time, offsets: this.offsets() };
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
    const { handles, keys } = this.app.store.state;
    if (keys.length === 0) return { handles: this.fileHandles(this.offsets()) };
    return {
      handles: handles.map((handle, h) => ({
        ...subject(handle),
        ...(handle.pinned
          ? { constraint: "hold" }
          : { constraint: "position", offsets: keys.map((key) => [key.time, key.offsets[h]]) }),
      })),
    };
  }

  private fileHandles(offsets: Offset[]): object[] {
    return this.app.store.state.handles.map((handle, h) => ({
      ...subject(handle),
      ...(handle.pinned ? { constraint: "hold" } : { constraint: "position", offset: offsets[h] }),
    }));
  }
}

const subject = (handle: PoseHandle) => (handle.joint ? { joint: handle.joint } : { region: handle.vertices });

function offsetAt(keys: PoseKey[], handle: number, time: number): Offset {
  const after = keys.findIndex((key) => key.time >= time);
  if (after === 0) return keys[0].offsets[handle];
  if (after < 0) return keys.at(-1)!.offsets[handle];
  const [a, b] = [keys[after - 1], keys[after]],
    t = (time - a.time) / (b.time - a.time);
  return [0, 1, 2].map((c) => a.offsets[handle][c] + t * (b.offsets[handle][c] - a.offsets[handle][c])) as Offset;
}
