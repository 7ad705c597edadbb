import { Vector3 } from "three";
import type { App } from "./app.js";
import type { Posed } from "./engine/protocol.js";
import type { PoseHandle, PoseKey } from "./state/settings.js";

type Offset = [number, number, number];

/** Pictures after the last change, until the body has come to rest. */
const settlingFrames = 20;

/** Handles and keys of the pose, and what the solver is told about them. */
export class PoseSolver {
  /** True while the offsets of the handles are newer than the keys. */
  edited = false;
  private settling = 0;

  constructor(private readonly app: App) {
    queueMicrotask(() =>
      this.app.store.subscribe((changed) => {
        if (!changed.has("handles") && !changed.has("time")) return;
        this.settling = settlingFrames;
        this.edited = changed.has("handles") && !changed.has("keys");
      }),
    );
  }

  reset(): void {
    this.edited = false;
    this.settling = 0;
  }

  get seconds(): number {
    return Math.max(2, this.app.store.state.keys.at(-1)?.time ?? 0);
  }

  /** Called for each picture: goes on solving until nothing moves any more. */
  tick(): void {
    if (this.app.store.state.activity !== "pose" || this.settling <= 0) return;
    --this.settling;
    this.app.refresh();
  }

  /** The pose that the handles give; undefined where nothing is held. */
  async solve(): Promise<Posed | undefined> {
    const { handles } = this.app.store.state,
      start = { clip: null, time: 0 };
    if (handles.length === 0) return undefined;
    const matrices = await this.app.engine.pose({ handles: this.fileHandles(this.offsets()), start, limits: null });
    return { matrices, start };
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

  add(handle: PoseHandle): void {
    const { handles, keys } = this.app.store.state;
    const shown = this.offsets();
    const longer = keys.map((key): PoseKey => ({ ...key, offsets: [...key.offsets, [0, 0, 0]] }));
    const moved = handles.map((old, h) => ({ ...old, offset: shown[h] }));
    this.app.store.change({ handles: [...moved, handle], keys: longer });
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
  file(): object {
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
