import type { Rows, VerbRow } from "@pelt/core";
import { type Remote, transfer, wrap } from "comlink";
import type { Sequence } from "../file/sequences.js";
import type { Player } from "./player.worker.js";
import type { Attributes, Preparer } from "./preparer.worker.js";
import { type Curves, type Frame, type FrameRequest, keyOf, type Loaded, type MethodSpec } from "./protocol.js";
import type { PoseRequest } from "./protocol.js";

/** Prepared methods that the player keeps: those shown, and the latest others up to this number of bytes. */
const keptBytes = 256 << 20;

/** Quick enough to be prepared by the player itself. */
const quick = (spec: MethodSpec) => ["lbs", "dqs", "result"].includes(spec.method);

const sizeOf = (rows: Rows | null) => (rows ? rows.entries.byteLength + rows.centers.byteLength : 0);

/**
 * Two workers compute what is shown. The player poses and nothing else, so that playback never waits: bones where the
 * GPU poses the vertices, else the vertices. The preparer makes methods ready and hands them over as bytes. Of settings
 * that change quickly only the newest is prepared; until it is ready, a view shows what it showed before.
 */
export class Engine {
  /** Called when a method has become ready, or has failed. */
  onReady: () => void = () => undefined;
  /** Whether the GPU has room for rows. */
  fits: (rows: Rows) => boolean = () => true;
  private readonly player: Remote<Player> = wrap<Player>(
    new Worker(new URL("./player.worker.ts", import.meta.url), { type: "module", name: "player" }),
  );
  private readonly preparer: Remote<Preparer> = wrap<Preparer>(
    new Worker(new URL("./preparer.worker.ts", import.meta.url), { type: "module", name: "preparer" }),
  );
  /** What the player has, the latest used last, with its size. */
  private readonly ready = new Map<string, number>();
  private readonly failed = new Map<string, string>();
  /** What the GPU poses vertices by, of those that the player has. */
  private readonly rows = new Map<string, Rows>();
  private wanted: MethodSpec[] = [];
  private shown: MethodSpec[] = [];
  private preparing: Promise<void> | null = null;
  private loading: Promise<unknown> = Promise.resolve();
  private open: { file: Blob; name: string } | undefined;
  private generation = 0;
  /** The open file has a skin. */
  private skinned = false;

  /** Both workers read the file at once. If it is none, both go back to the one that is open. */
  async load(file: Blob, name: string): Promise<Loaded> {
    const beside = this.preparer.load(file, name);
    beside.catch(() => undefined); // the player reports the same error
    try {
      const loaded = await this.player.load(file, name);
      this.forget();
      this.shown = [];
      this.skinned = loaded.normals !== undefined;
      this.open = { file, name };
      this.loading = beside;
      return loaded;
    } catch (error) {
      const { open } = this;
      if (open)
        this.loading = beside.then(
          () => this.preparer.load(open.file, open.name),
          () => undefined,
        );
      throw error;
    }
  }

  /** The table of verbs. */
  verbs(): Promise<VerbRow[]> {
    return this.preparer.verbs();
  }

  sample(name: string): Promise<Uint8Array> {
    return this.preparer.sample(name);
  }

  sequence(bytes: Blob, name: string): Promise<Sequence> {
    return this.preparer.sequence(bytes, name);
  }

  /** Maps that are painted now, in place of those before. */
  async paint(attributes: Attributes): Promise<void> {
    await this.loading;
    await this.preparer.paint(attributes);
    this.drop((spec) => Object.keys(spec.options).some((name) => name.endsWith("Map")));
  }

  /** What a verb made, to be shown by the method "result"; true if it has the vertices of the file. */
  async setResult(bytes: Blob, name: string): Promise<boolean> {
    await this.loading;
    this.drop(({ method }) => method === "result");
    const [comparable] = await Promise.all([this.player.setResult(bytes, name), this.preparer.setResult(bytes, name)]);
    return comparable;
  }

  /** The vertices of all views. Those whose method is not ready show what they showed before. */
  async frame(request: FrameRequest): Promise<Frame> {
    this.want(request.methods);
    const shown = request.methods.map((spec, i) => this.standIn(spec, i));
    this.shown = shown;
    for (const spec of shown) await this.addQuick(spec);
    const { spare, posed, vertices } = request;
    const rows = shown.map((spec) => this.rows.get(keyOf(spec)) ?? null),
      skinned = rows.map((of) => of !== null && !vertices);
    const moved = [...spare, ...(posed ? [posed.matrices] : [])].map((array) => array.buffer as ArrayBuffer);
    const frame = await this.player.frame(transfer({ ...request, methods: shown, skinned }, moved));
    return {
      matrices: frame.matrices,
      bones: frame.bones,
      views: frame.views.map((view, i) => ({ ...view, rows: rows[i], ...this.failureOf(request.methods[i]) })),
      preparing: this.missing() !== undefined,
    };
  }

  /** Resolves when nothing is being prepared any more; undefined if nothing is. */
  pending(): Promise<void> | null {
    return this.preparing;
  }

  async curves(clip: string | null, methods: MethodSpec[]): Promise<Curves | null> {
    await this.loading;
    return this.preparer.curves(clip, methods);
  }

  async pose(request: PoseRequest): Promise<Float32Array> {
    await this.loading;
    return this.preparer.pose(request);
  }

  /** Only the latest request is prepared: a dragged slider never queues up work. */
  private want(methods: MethodSpec[]): void {
    this.wanted = methods;
    if (this.preparing || !this.missing()) return;
    this.preparing = this.prepareAll().finally(() => {
      this.preparing = null;
      this.want(this.wanted); // what was requested at the last moment
    });
  }

  private missing(): MethodSpec | undefined {
    return this.wanted.find((spec) => !quick(spec) && !this.ready.has(keyOf(spec)) && !this.failed.has(keyOf(spec)));
  }

  private async prepareAll(): Promise<void> {
    for (let spec = this.missing(); spec; spec = this.missing()) {
      const generation = this.generation;
      try {
        await this.loading; // the preparer may still read the file that the player has
        const { bytes, rows } = (await this.preparer.prepare(spec)) ?? { rows: null };
        if (generation !== this.generation) continue;
        const size = bytes?.length ?? 0;
        await this.player.add(spec, bytes ? transfer(bytes, [bytes.buffer as ArrayBuffer]) : undefined);
        if (generation === this.generation) this.keep(spec, size + sizeOf(rows), rows);
      } catch (error) {
        if (generation === this.generation) this.failed.set(keyOf(spec), messageOf(error));
      }
      this.onReady();
    }
  }

  /** The method that a view shows until its own is ready: its last one, else linear blend skinning. */
  private standIn(spec: MethodSpec, view: number): MethodSpec {
    if (quick(spec)) return spec;
    const key = keyOf(spec);
    if (this.ready.has(key)) return this.keep(spec, this.ready.get(key)!);
    const before = this.shown[view];
    const usable = before && (quick(before) || this.ready.has(keyOf(before)));
    return usable ? before : { method: "lbs", options: {} };
  }

  private async addQuick(spec: MethodSpec): Promise<void> {
    const key = keyOf(spec);
    if (!quick(spec) || this.ready.has(key) || this.failed.has(key)) return;
    const { generation } = this;
    try {
      await this.player.add(spec);
      const rows = spec.method === "lbs" && this.skinned ? await this.player.rows(spec) : null;
      if (generation === this.generation) this.keep(spec, 0, rows);
    } catch (error) {
      if (generation === this.generation) this.failed.set(key, messageOf(error));
    }
  }

  private failureOf(spec: MethodSpec): { error?: string; positions?: undefined; normals?: undefined } {
    const error = this.failed.get(keyOf(spec));
    return error === undefined ? {} : { error, positions: undefined, normals: undefined };
  }

  private keep(spec: MethodSpec, size: number, rows: Rows | null = null): MethodSpec {
    const key = keyOf(spec);
    if (rows && this.skinned && this.fits(rows)) this.rows.set(key, rows);
    this.ready.delete(key);
    this.ready.set(key, size);
    let total = [...this.ready.values()].reduce((sum, bytes) => sum + bytes, 0);
    const used = new Set([...this.wanted, ...this.shown].map(keyOf)),
      old: string[] = [];
    for (const [other, bytes] of this.ready) {
      if (total <= keptBytes) break;
      if (used.has(other) || bytes === 0) continue;
      total -= bytes;
      old.push(other);
    }
    this.remove(old);
    return spec;
  }

  private drop(which: (spec: MethodSpec) => boolean): void {
    const matches = (key: string) => which(JSON.parse(key));
    ++this.generation;
    this.remove([...this.ready.keys()].filter(matches));
    for (const key of [...this.failed.keys()].filter(matches)) this.failed.delete(key);
  }

  private remove(keys: string[]): void {
    for (const key of keys) {
      this.ready.delete(key);
      this.rows.delete(key);
    }
    if (keys.length > 0) void this.player.drop(keys);
  }

  private forget(): void {
    ++this.generation;
    this.ready.clear();
    this.rows.clear();
    this.failed.clear();
    this.wanted = [];
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
