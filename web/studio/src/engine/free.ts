import { proxy, type Remote, wrap } from "comlink";
import type { FreePoser } from "./free.worker.js";
import type { FreePose, FreeRequest } from "./protocol.js";

interface Seat {
  worker: Remote<FreePoser>;
  /** The file that it has. */
  file: Blob | null;
  /** What it is prepared for. */
  request: FreeRequest | null;
}

/** Iterations for each picture. */
const iterations = 30;

/**
 * The free pose in two workers: while one prepares other handles or another energy, the old pose stays draggable in the
 * other one.
 */
export class FreeEngine {
  /** Called when the pose that was asked for has become ready, or has failed, or has come nearer. */
  onReady: () => void = () => undefined;
  /** How far the preparation is; null: nothing is being prepared. */
  progress: number | null = null;
  private file: { bytes: Blob; name: string } | null = null;
  private seats: Seat[] = [];
  private shown: Seat | null = null;
  private preparing: Promise<void> | null = null;
  private wanted: FreeRequest | null = null;
  /** What is being prepared. */
  private begun: FreeRequest | null = null;
  private failed: { request: FreeRequest; error: unknown } | null = null;

  /** Another character. Workers read it when they are first needed. */
  open(bytes: Blob, name: string): void {
    this.file = { bytes, name };
    this.shown = this.failed = this.wanted = this.begun = null;
  }

  /** Resolves when nothing is being prepared any more; null if nothing is. */
  pending(): Promise<void> | null {
    return this.preparing;
  }

  /**
   * The pose of these handles; while it is being prepared, that of the handles before, as far as they are still there.
   * Null where nothing can be shown yet.
   */
  async pose(request: FreeRequest): Promise<FreePose | null> {
    const { file } = this;
    if (this.failed && same(this.failed.request, request)) throw this.failed.error;
    if (this.shown?.request && same(this.shown.request, request)) {
      this.shown.request = request;
      return this.shown.worker.pose(request.handles, iterations);
    }
    if (!this.begun || !same(this.begun, request)) this.wanted = request;
    this.preparing ??= this.prepare().finally(() => {
      this.preparing = null;
      this.onReady();
    });
    if (!this.shown) await this.preparing;
    if (this.file !== file || !this.shown?.request) return null;
    const { worker, request: old } = this.shown;
    return worker.pose(
      old.handles.map((handle) => movedAs(request.handles, handle)),
      iterations,
    );
  }

  /** The latest request alone: handles that are added quickly do not queue up work. */
  private async prepare(): Promise<void> {
    while (this.wanted && this.file) {
      const request = this.wanted,
        file = this.file;
      [this.wanted, this.begun] = [null, request];
      try {
        const seat = this.freeSeat();
        this.setProgress(0);
        if (seat.file !== file.bytes) await seat.worker.load(file.bytes, file.name);
        seat.file = file.bytes;
        seat.request = null;
        await seat.worker.prepare(
          request,
          proxy((fraction: number) => this.setProgress(fraction)),
        );
        seat.request = request;
        if (file === this.file) this.shown = seat;
      } catch (error) {
        if (file === this.file) this.failed = { request, error };
      }
    }
    this.begun = null;
    this.setProgress(null);
  }

  private freeSeat(): Seat {
    const free = this.seats.find((seat) => seat !== this.shown);
    if (free) return free;
    const worker = wrap<FreePoser>(
      new Worker(new URL("./free.worker.ts", import.meta.url), { type: "module", name: "free" }),
    );
    this.seats.push({ worker, file: null, request: null });
    return this.seats.at(-1)!;
  }

  private setProgress(fraction: number | null): void {
    this.progress = fraction;
    this.onProgress();
  }

  onProgress: () => void = () => undefined;
}

/** What a handle is of, apart from where it is dragged to. */
const subjectKey = ({ joint, region, segment }: Record<string, unknown>) => JSON.stringify([joint, region, segment]);

/** Whether what is prepared for one request serves another one. */
const same = (a: FreeRequest, b: FreeRequest) =>
  JSON.stringify(a.options) === JSON.stringify(b.options) &&
  (b.jointed || String(a.handles.map(subjectKey)) === String(b.handles.map(subjectKey)));

/** A handle as it is in a newer list. */
const movedAs = (list: Record<string, unknown>[], handle: Record<string, unknown>) =>
  list.find((other) => subjectKey(other) === subjectKey(handle)) ?? handle;
