import * as THREE from "three";
import type { ViewFrame } from "../engine/protocol.js";
import type { Settings } from "../state/settings.js";
import type { Model } from "./model.js";
import { type Paints, Parts } from "./parts.js";
import { Skin } from "./skin.js";

/**
 * One view's character: the shared faces with positions and normals of its own. The GPU poses them where the method has
 * rows; the processor's vertices are then used for all but drawing, and there are none while a clip plays.
 */
export class Surface {
  readonly group = new THREE.Group();
  private readonly position: THREE.BufferAttribute;
  private readonly normal: THREE.BufferAttribute;
  private readonly color: THREE.BufferAttribute;
  private readonly parts: Parts;
  private skin: Skin | null = null;
  /** The GPU poses what is shown. */
  private posed = false;
  /** What is shown is newer than the processor's vertices. */
  private behind = false;
  private look: { settings: Readonly<Settings>; colored: boolean } | null = null;

  constructor(
    private readonly model: Model,
    private readonly paints: Paints,
  ) {
    const count = model.loaded.vertexCount;
    this.group.visible = false; // until the first frame comes
    this.position = dynamic(model.loaded.positions.slice());
    this.normal = dynamic(new Float32Array(3 * count));
    this.color = dynamic(new Float32Array(3 * count));
    this.parts = new Parts(model, paints, {
      position: this.position,
      normal: this.normal,
      mesh: (geometry, material) => new THREE.Mesh(geometry, material),
      lines: (geometry, material) => new THREE.LineSegments(geometry, material),
      paint: (material) => material,
    });
    this.group.add(this.parts.group);
  }

  /** The vertices that are shown. Where the GPU alone has them they are computed here, which takes a moment. */
  get positions(): Float32Array {
    if (this.behind) {
      this.position.array = this.skin!.positions().slice(); // another array: those who keep one see that it is old
      this.position.needsUpdate = true;
      this.behind = false;
    }
    return this.position.array as Float32Array;
  }

  /** Whether `positions` are at hand. */
  get known(): boolean {
    return !this.behind;
  }

  /** What draws the vertices on the GPU; null where the processor's are drawn. */
  get skinned(): THREE.Mesh | null {
    return this.skin?.group.visible ? this.skin.whole : null;
  }

  /** Shows a new frame; gives back the arrays that are free again. */
  setFrame({ positions, normals, rows }: ViewFrame, bones: Float32Array | null): Float32Array[] {
    const spare: Float32Array[] = [];
    if (positions && normals) {
      spare.push(this.position.array as Float32Array, this.normal.array as Float32Array);
      this.position.array = positions;
      this.normal.array = normals;
      this.position.needsUpdate = this.normal.needsUpdate = true;
    }
    if (rows && bones) this.pose(rows, bones);
    else if (rows === null) this.dropSkin();
    this.behind = !positions;
    this.posed = Boolean(rows && bones);
    this.group.visible = true;
    this.choose();
    return spare;
  }

  /** Colors a vertex each, linear RGB; `paint` fills the array. */
  paint(fill: (colors: Float32Array) => void): void {
    fill(this.color.array as Float32Array);
    this.color.needsUpdate = true;
  }

  show(settings: Readonly<Settings>, colored: boolean): void {
    this.look = { settings, colored };
    for (const parts of [this.parts, this.skin?.parts]) parts?.show(settings, colored ? this.color : null);
    this.choose();
  }

  dispose(): void {
    this.parts.dispose();
    this.dropSkin();
  }

  private pose(rows: NonNullable<ViewFrame["rows"]>, bones: Float32Array): void {
    if (!this.skin) {
      this.skin = new Skin(this.model, this.paints, rows, bones.length / 16);
      this.group.add(this.skin.group);
      if (this.look) this.show(this.look.settings, this.look.colored);
    }
    this.skin.setPose(rows, bones);
  }

  /** Outlines are drawn by a material of their own, which is not prepared for the skin. */
  private choose(): void {
    const outlined = this.look?.settings.layout === "silhouettes" && this.look.settings.methods.length > 1,
      gpu = this.posed && !outlined;
    if (!gpu && this.behind) void this.positions;
    this.parts.group.visible = !gpu;
    if (this.skin) this.skin.group.visible = gpu;
  }

  private dropSkin(): void {
    if (!this.skin) return;
    this.group.remove(this.skin.group);
    this.skin.dispose();
    this.skin = null;
  }
}

function dynamic(array: Float32Array): THREE.BufferAttribute {
  return new THREE.BufferAttribute(array, 3).setUsage(THREE.DynamicDrawUsage);
}
