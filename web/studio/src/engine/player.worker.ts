/** Poses, picture after picture. Nothing here takes long: methods come prepared from the other worker. */
import type { Deformer, Rows } from "@pelt/core";
import { expose, transfer } from "comlink";
import { buffersOf, Characters, clipOf, describe, ownSpec } from "./characters.js";
import { keyOf, type Loaded, type MethodSpec, type Moment, type Posed, type ViewFrame } from "./protocol.js";

/** A frame of methods that are here. */
export interface PlayRequest extends Moment {
  methods: MethodSpec[];
  posed?: Posed;
  /** By view: whether the GPU is able to pose its vertices, and they are not wanted here. */
  skinned: boolean[];
  spare: Float32Array[];
}

/** Linear blend skinning, with which everything begins. */
const plain: MethodSpec = { method: "lbs", options: {} };

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
    try {
      loaded.normals = this.restNormals(loaded);
    } catch {
      // without them the processor poses the vertices
    }
    return transfer(loaded, buffersOf([loaded.positions, loaded.triangles, loaded.normals]));
  }

  /** Of the skin, which matrices that move nothing leave as it is; of the props, as the nodes' rest pose has them. */
  private restNormals({ info, joints, weights }: Loaded): Float32Array | undefined {
    if (joints.length === 0 || weights.values.length === 0) return undefined;
    this.add(plain);
    const deformer = this.deformers.get(keyOf(plain))!,
      still = Float32Array.from({ length: 16 * joints.length }, (_, i) => ((i % 16) % 5 === 0 ? 1 : 0)),
      [positions, normals, placed] = [0, 1, 2].map(() => new Float32Array(this.count));
    deformer.evaluate(still, positions, normals);
    deformer.evaluateAt(undefined, 0, positions, placed);
    const props = 3 * info.skinned_vertices;
    normals.set(placed.subarray(props), props);
    return normals;
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

  /** What the GPU poses vertices by, of a method that was prepared here. */
  rows(spec: MethodSpec): Rows | null {
    const rows = this.characters.ownerOf(spec).rowsOf(this.deformers.get(keyOf(spec))!.bytes());
    return rows && transfer(rows, buffersOf(Object.values(rows)));
  }

  frame(request: PlayRequest): { matrices: Float32Array; bones: Float32Array | null; views: ViewFrame[] } {
    this.spare.push(...request.spare.filter((array) => array.length === this.count));
    const matrices = request.posed?.matrices ?? this.characters.opened().skinMatrices(clipOf(request), request.time);
    const bones = request.posed ? null : this.bones(request);
    const views = request.methods.map((spec, i) => (bones && request.skinned[i] ? {} : this.view(spec, request)));
    const sent = views.flatMap(({ positions, normals }) => [positions, normals]);
    return transfer({ matrices, bones, views }, buffersOf([matrices, bones, ...sent]));
  }

  /** Null where the GPU cannot pose by them: with morph targets, and for props that have no size at rest. */
  private bones(moment: Moment): Float32Array | null {
    const bones = this.characters.opened().bones(clipOf(moment), moment.time);
    return bones?.every(Number.isFinite) ? bones : null;
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
