import * as THREE from "three";
import type { Settings } from "../state/settings.js";
import type { Model } from "./model.js";

/** How a surface is drawn, shared by all views. */
export interface Paints {
  clay: THREE.Material;
  colored: THREE.Material;
  wire: THREE.LineBasicMaterial;
  ghost: THREE.MeshStandardMaterial;
}

export function makePaints(): Paints {
  return {
    clay: new THREE.MeshStandardMaterial({ color: 0xb9b4ad, roughness: 0.75, side: THREE.DoubleSide }),
    colored: new THREE.MeshStandardMaterial({ roughness: 0.85, vertexColors: true, side: THREE.DoubleSide }),
    ghost: new THREE.MeshStandardMaterial({
      transparent: true,
      opacity: 0.35,
      depthWrite: false,
      side: THREE.DoubleSide,
    }),
    wire: new THREE.LineBasicMaterial({ color: 0x000000, transparent: true, opacity: 0.28 }),
  };
}

/** Who poses the vertices: the objects that draw them, and the materials as they need them. */
export interface Poser {
  position: THREE.BufferAttribute;
  normal: THREE.BufferAttribute;
  mesh(geometry: THREE.BufferGeometry, material: THREE.Material): THREE.Mesh;
  lines(geometry: THREE.BufferGeometry, material: THREE.Material): THREE.LineSegments;
  paint<T extends THREE.Material>(material: T): T;
}

/** The parts of a character as they are drawn: faces, and edges where a wireframe is wanted. */
export class Parts {
  readonly group = new THREE.Group();
  private readonly meshes: THREE.Mesh[];
  private wires: THREE.LineSegments[] = [];

  constructor(
    private readonly model: Model,
    private readonly paints: Paints,
    private readonly poser: Poser,
  ) {
    this.meshes = model.parts.map((part) => {
      const geometry = new THREE.BufferGeometry().setIndex(part.index);
      geometry.setAttribute("position", poser.position);
      geometry.setAttribute("normal", poser.normal);
      return this.draw(poser.mesh(geometry, poser.paint(paints.clay)));
    });
  }

  /** `color`: a color a vertex in place of materials. */
  show(settings: Readonly<Settings>, color: THREE.BufferAttribute | null): void {
    const { attributes } = this.model;
    this.meshes.forEach((mesh, i) => {
      const part = this.model.parts[i],
        { geometry } = mesh;
      mesh.visible = !settings.hiddenParts.includes(i);
      const own = !color && settings.shading === "materials" ? part.material : null;
      const colors = color ?? (own?.userData.colors ? attributes.vertexColor : undefined);
      if (own) (own as THREE.MeshStandardMaterial).vertexColors = colors !== undefined;
      mesh.material = this.poser.paint(color ? this.paints.colored : (own ?? this.paints.clay));
      if (colors) geometry.setAttribute("color", colors);
      else geometry.deleteAttribute("color");
      for (const name of ["uv", "uv1"]) if (attributes[name]) geometry.setAttribute(name, attributes[name]);
    });
    this.showWires(settings);
  }

  private showWires(settings: Readonly<Settings>): void {
    const material = this.poser.paint(this.paints.wire);
    material.color.copy(this.paints.wire.color); // that of the theme
    if (settings.wireframe && this.wires.length === 0)
      this.wires = this.model.parts.map((part) => {
        const geometry = new THREE.BufferGeometry().setIndex(this.model.edgesOf(part));
        geometry.setAttribute("position", this.poser.position);
        return this.draw(this.poser.lines(geometry, material));
      });
    this.wires.forEach((wire, i) => (wire.visible = settings.wireframe && this.meshes[i].visible));
  }

  private draw<T extends THREE.Object3D>(object: T): T {
    object.frustumCulled = false;
    this.group.add(object);
    return object;
  }

  dispose(): void {
    for (const object of [...this.meshes, ...this.wires]) release(object.geometry);
  }
}

/** Without its attributes, which others draw too: three.js would free their buffers. */
export function release(geometry: THREE.BufferGeometry): void {
  geometry.setIndex(null);
  for (const name of Object.keys(geometry.attributes)) geometry.deleteAttribute(name);
  geometry.dispose();
}
