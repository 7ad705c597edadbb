import * as THREE from "three";
import type { Settings } from "../state/settings.js";
import type { Model } from "./model.js";

/** How a surface is drawn, shared by all views. */
export interface Paints {
  clay: THREE.Material;
  colored: THREE.Material;
  wire: THREE.LineBasicMaterial;
}

export function makePaints(): Paints {
  return {
    clay: new THREE.MeshStandardMaterial({ color: 0xb9b4ad, roughness: 0.75, side: THREE.DoubleSide }),
    colored: new THREE.MeshStandardMaterial({ roughness: 0.85, vertexColors: true, side: THREE.DoubleSide }),
    wire: new THREE.LineBasicMaterial({ color: 0x000000, transparent: true, opacity: 0.28 }),
  };
}

/** One view's character: the shared faces with positions and normals of its own. */
export class Surface {
  readonly group = new THREE.Group();
  private readonly position: THREE.BufferAttribute;
  private readonly normal: THREE.BufferAttribute;
  private readonly color: THREE.BufferAttribute;
  private readonly meshes: THREE.Mesh[];
  private wires: THREE.LineSegments[] = [];

  constructor(
    private readonly model: Model,
    private readonly paints: Paints,
  ) {
    const count = model.loaded.vertexCount;
    this.group.visible = false; // until the first frame comes
    this.position = dynamic(model.loaded.positions.slice());
    this.normal = dynamic(new Float32Array(3 * count));
    this.color = dynamic(new Float32Array(3 * count));
    this.meshes = model.parts.map((part) => {
      const geometry = new THREE.BufferGeometry();
      geometry.setIndex(part.index);
      geometry.setAttribute("position", this.position);
      geometry.setAttribute("normal", this.normal);
      const mesh = new THREE.Mesh(geometry, paints.clay);
      mesh.frustumCulled = false;
      this.group.add(mesh);
      return mesh;
    });
  }

  get positions(): Float32Array {
    return this.position.array as Float32Array;
  }

  get positionAttribute(): THREE.BufferAttribute {
    return this.position;
  }

  /** Shows new vertices; gives back the arrays that were shown before. */
  setFrame(positions: Float32Array, normals: Float32Array): Float32Array[] {
    const spare = [this.position.array, this.normal.array] as Float32Array[];
    this.position.array = positions;
    this.normal.array = normals;
    this.group.visible = true;
    this.position.needsUpdate = this.normal.needsUpdate = true;
    return spare;
  }

  /** Colors a vertex each, linear RGB; `paint` fills the array. */
  paint(fill: (colors: Float32Array) => void): void {
    fill(this.color.array as Float32Array);
    this.color.needsUpdate = true;
  }

  show(settings: Readonly<Settings>, colored: boolean): void {
    this.meshes.forEach((mesh, i) => {
      const part = this.model.parts[i],
        { geometry } = mesh;
      mesh.visible = !settings.hiddenParts.includes(i);
      const own = !colored && settings.shading === "materials" ? part.material : null;
      mesh.material = colored ? this.paints.colored : (own ?? this.paints.clay);
      const colors = colored ? this.color : own?.userData.colors ? this.model.attributes.vertexColor : undefined;
      if (own) (own as THREE.MeshStandardMaterial).vertexColors = colors !== undefined;
      if (colors) geometry.setAttribute("color", colors);
      else geometry.deleteAttribute("color");
      for (const name of ["uv", "uv1"])
        if (this.model.attributes[name]) geometry.setAttribute(name, this.model.attributes[name]);
    });
    this.showWires(settings);
  }

  private showWires(settings: Readonly<Settings>): void {
    if (settings.wireframe && this.wires.length === 0) this.wires = this.meshes.map((mesh) => this.wireOf(mesh));
    this.wires.forEach((wire, i) => (wire.visible = settings.wireframe && this.meshes[i].visible));
  }

  private wireOf(mesh: THREE.Mesh): THREE.LineSegments {
    const faces = mesh.geometry.index!.array,
      edges: number[] = [],
      seen = new Set<number>();
    const count = this.model.loaded.vertexCount;
    for (let f = 0; f < faces.length; f += 3)
      for (let c = 0; c < 3; ++c) {
        const a = faces[f + c],
          b = faces[f + ((c + 1) % 3)],
          key = Math.min(a, b) * count + Math.max(a, b);
        if (seen.has(key)) continue;
        seen.add(key);
        edges.push(a, b);
      }
    const geometry = new THREE.BufferGeometry().setIndex(edges);
    geometry.setAttribute("position", this.position);
    const wire = new THREE.LineSegments(geometry, this.paints.wire);
    wire.frustumCulled = false;
    this.group.add(wire);
    return wire;
  }

  dispose(): void {
    for (const object of [...this.meshes, ...this.wires]) object.geometry.dispose();
  }
}

function dynamic(array: Float32Array): THREE.BufferAttribute {
  return new THREE.BufferAttribute(array, 3).setUsage(THREE.DynamicDrawUsage);
}
