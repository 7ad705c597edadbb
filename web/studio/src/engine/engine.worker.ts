/** Pelt beside the page: what is shown is computed here, so that the page never waits. */
import type { Character, Pelt, Poser } from "@pelt/core";
import { expose, transfer } from "comlink";
import { Deformers } from "./deformers.js";
import type { Curves, Frame, FrameRequest, Loaded, MethodSpec, PoseStep, ViewFrame } from "./protocol.js";
import { startPelt } from "./start.js";

interface Opened {
  character: Character;
  deformers: Deformers;
  poser?: Poser;
}

export class Engine {
  private pelt: Promise<Pelt> | undefined;
  private file: Opened | undefined;
  private result: Opened | undefined;
  private spare: Float32Array[] = [];
  private curveRun = 0;

  async load(bytes: Uint8Array, name: string): Promise<Loaded> {
    const opened = await this.open(bytes, name);
    let loaded: Loaded;
    try {
      loaded = describe(opened.character);
    } catch (error) {
      opened.character.dispose();
      throw error;
    }
    this.file?.character.dispose();
    this.dropResult();
    this.file = opened;
    this.spare = [];
    ++this.curveRun;
    return transfer(loaded, [loaded.positions.buffer, loaded.triangles.buffer] as ArrayBuffer[]);
  }

  /** The same character with other attributes: vertices, joints and clips stay. */
  async replace(bytes: Uint8Array, name: string): Promise<void> {
    const opened = await this.open(bytes, name);
    this.file?.character.dispose();
    this.file = opened;
  }

  async sample(name: string): Promise<Uint8Array> {
    const character = (await this.ready()).sample(name, { skin: "smooth" });
    const bytes = character.bytes();
    character.dispose();
    return transfer(bytes, [bytes.buffer as ArrayBuffer]);
  }

  /** What a verb made, to be shown by the method "result"; true if it has the vertices of the file. */
  async setResult(bytes: Uint8Array, name: string): Promise<boolean> {
    this.dropResult();
    const opened = await this.open(bytes, name);
    if (opened.character.vertexCount !== this.file?.character.vertexCount) {
      opened.character.dispose();
      return false;
    }
    this.result = opened;
    return true;
  }

  dropResult(): void {
    this.result?.character.dispose();
    this.result = undefined;
  }

  frame(request: FrameRequest): Frame {
    const file = this.opened();
    const count = 3 * file.character.vertexCount;
    this.spare.push(...request.spare.filter((array) => array.length === count));
    const matrices = request.pose ? this.posed(file, request.pose) : matricesAt(file, request.clip, request.time);
    const views = request.methods.map((spec): ViewFrame => {
      try {
        const [owner, own] = this.ownerOf(spec, request, matrices);
        const deformer = owner.deformers.get(ownSpec(spec));
        const positions = this.take(count),
          normals = this.take(count);
        deformer.evaluate(own, positions, normals);
        return { positions, normals };
      } catch (error) {
        return { error: error instanceof Error ? error.message : String(error) };
      }
    });
    const sent = views.flatMap((view) => [view.positions?.buffer, view.normals?.buffer]).filter((b) => b !== undefined);
    return transfer({ matrices, views }, sent as ArrayBuffer[]);
  }

  /** Distances from the first method over a clip; null if another file or another question came in between. */
  async curves(clip: string | null, methods: MethodSpec[]): Promise<Curves | null> {
    const run = ++this.curveRun,
      file = this.opened(),
      vertices = file.character.vertexCount;
    const times = clip === null ? [0] : file.character.clipTimes(clip, 30);
    const first = new Float32Array(3 * vertices),
      other = new Float32Array(3 * vertices);
    const curves = methods.slice(1).map(() => ({
      rms: new Float32Array(times.length),
      max: new Float32Array(times.length),
    }));
    let paused = performance.now();
    for (const [i, time] of times.entries()) {
      const matrices = matricesAt(file, clip, time);
      this.evaluateAt(methods[0], clip, time, matrices, first);
      for (const [m, curve] of curves.entries()) {
        this.evaluateAt(methods[m + 1], clip, time, matrices, other);
        [curve.rms[i], curve.max[i]] = distance(first, other);
      }
      if (performance.now() - paused < 12) continue;
      await new Promise((resolve) => setTimeout(resolve)); // frames that are asked for meanwhile come first
      if (run !== this.curveRun) return null;
      paused = performance.now();
    }
    return { times: Float64Array.from(times), curves };
  }

  private evaluateAt(
    spec: MethodSpec,
    clip: string | null,
    time: number,
    matrices: Float32Array,
    into: Float32Array,
  ): void {
    const [owner, own] = this.ownerOf(spec, { clip, time }, matrices);
    owner.deformers.get(ownSpec(spec)).evaluate(own, into);
  }

  /** The character that a method belongs to, with its matrices at this moment. */
  private ownerOf(
    spec: MethodSpec,
    at: { clip: string | null; time: number; pose?: PoseStep },
    matrices: Float32Array,
  ): [Opened, Float32Array] {
    if (spec.method !== "result") return [this.opened(), matrices];
    if (!this.result) throw new Error("nothing has been made yet; run a verb in Make first");
    return [this.result, matricesAt(this.result, at.clip, at.time)];
  }

  private posed(file: Opened, pose: PoseStep): Float32Array {
    file.poser ??= file.character.poser();
    file.poser.setHandles({ handles: pose.handles });
    file.poser.step(pose.iterations);
    return file.poser.matrices();
  }

  private async open(bytes: Uint8Array, name: string): Promise<Opened> {
    const character = (await this.ready()).loadCharacter(bytes, { name });
    return { character, deformers: new Deformers(character) };
  }

  private opened(): Opened {
    if (!this.file) throw new Error("no file is open");
    return this.file;
  }

  private take(count: number): Float32Array {
    return this.spare.pop() ?? new Float32Array(count);
  }

  private ready(): Promise<Pelt> {
    return (this.pelt ??= startPelt());
  }
}

function describe(character: Character): Loaded {
  return {
    info: character.info(),
    vertexCount: character.vertexCount,
    positions: character.positions(),
    triangles: character.triangles(),
    joints: [...character.joints],
    clips: [...character.clips],
    rangeSeconds: character.joints.length > 0 ? (character.clipTimes("@range", 30).at(-1) ?? 0) : 0,
    weights: character.weights(),
  };
}

function matricesAt(file: Opened, clip: string | null, time: number): Float32Array {
  return file.character.skinMatrices(clip ?? undefined, time);
}

/** What was made is shown as it stores itself. */
function ownSpec(spec: MethodSpec): MethodSpec {
  return spec.method === "result" ? { method: String(spec.options.stored ?? "lbs"), options: {} } : spec;
}

/** RMS and largest distance, as `pelt compare` reports them. */
function distance(a: Float32Array, b: Float32Array): [number, number] {
  let sum = 0,
    largest = 0;
  for (let i = 0; i < a.length; i += 3) {
    const x = a[i] - b[i],
      y = a[i + 1] - b[i + 1],
      z = a[i + 2] - b[i + 2];
    const squared = x * x + y * y + z * z;
    sum += squared;
    if (squared > largest) largest = squared;
  }
  return [Math.sqrt((3 * sum) / a.length), Math.sqrt(largest)];
}

expose(new Engine());
