/** Poses vertices, picture after picture. Nothing here takes long: methods come prepared from the other worker. */
import type { Deformer } from "@pelt/core";
import { expose, transfer } from "comlink";
import { Characters, clipOf, describe, ownSpec } from "./characters.js";
import { keyOf, type Loaded, type MethodSpec, type Moment, type Posed, type ViewFrame } from "./protocol.js";

/** A frame of methods that are here. */
export interface PlayRequest extends Moment {
  methods: MethodSpec[];
  posed?: Posed;
  spare: Float32Array[];
}

export class Player {
  private readonly characters = new Characters();
  private readonly deformers = new Map<string, Deformer>();
  private spare: Float32Array[] = [];
  private count = 0;
  private morphs = false;
  /** Which moment's shape each deformer poses. */
  private readonly shapes = new WeakMap<Deformer, string>();

  async load(bytes: Blob, name: string): Promise<Loaded> {
    const loaded = await this.characters.load(bytes, name, describe);
    this.deformers.clear(); // freed with their character
    this.spare = [];
    this.count = 3 * loaded.vertexCount;
    this.morphs = loaded.info.morphs?.length > 0;
    return transfer(loaded, [loaded.positions.buffer, loaded.triangles.buffer] as ArrayBuffer[]);
  }

  async setResult(bytes: Blob, name: string): Promise<boolean> {
    this.drop([...this.deformers.keys()].filter((key) => (JSON.parse(key) as MethodSpec).method === "result"));
    return this.characters.setResult(bytes, name);
  }

  /** A method as the other worker prepared it, or one that is prepared here because that is quick. */
  add(spec: MethodSpec, bytes?: Uint8Array): void {
    const key = keyOf(spec);
    if (this.deformers.has(key)) return;
    const owner = this.characters.ownerOf(spec),
      { method, options } = ownSpec(spec);
    this.deformers.set(key, bytes ? owner.deformerOf(bytes) : owner.deformer(method, options));
  }

  drop(keys: string[]): void {
    for (const key of keys) {
      this.deformers.get(key)?.dispose();
      this.deformers.delete(key);
    }
  }

  frame(request: PlayRequest): { matrices: Float32Array; views: ViewFrame[] } {
    this.spare.push(...request.spare.filter((array) => array.length === this.count));
    const matrices =
      request.posed?.matrices ?? this.characters.opened().skinMatrices(clipOf(request), request.time);
    const views = request.methods.map((spec) => this.view(spec, request));
    const sent = views.flatMap(({ positions, normals }) => [positions?.buffer, normals?.buffer]);
    return transfer({ matrices, views }, [matrices.buffer, ...sent.filter((b) => b !== undefined)] as ArrayBuffer[]);
  }

  private view(spec: MethodSpec, request: PlayRequest): ViewFrame {
    const { posed } = request;
    try {
      const deformer = this.deformers.get(keyOf(spec));
      if (!deformer) throw new Error(`${spec.method} is not prepared`);
      const positions = this.take(),
        normals = this.take();
      if (!posed || spec.method === "result") {
        deformer.evaluateAt(clipOf(request), request.time, positions, normals);
      } else {
        this.shape(deformer, posed.start);
        deformer.evaluate(posed.matrices, positions, normals);
      }
      return { positions, normals };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    }
  }

  /** A pose is that of the shape from which it starts. */
  private shape(deformer: Deformer, start: Moment): void {
    const key = JSON.stringify(start);
    if (!this.morphs || this.shapes.get(deformer) === key) return;
    deformer.setRest(this.characters.opened().morphedPositions(clipOf(start), start.time));
    this.shapes.set(deformer, key);
  }

  private take(): Float32Array {
    return this.spare.pop() ?? new Float32Array(this.count);
  }
}

expose(new Player());
