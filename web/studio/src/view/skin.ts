import type { Rows } from "@pelt/core";
import { type PeltSkinnedMesh, RowSkin } from "@pelt/three";
import * as THREE from "three";
import type { Model } from "./model.js";
import { type Paints, Parts, release } from "./parts.js";

/** One view's character as the GPU poses it: rest shape and rows stay there, and only matrices come with a frame. */
export class Skin {
  readonly parts: Parts;
  /** All vertices at once, never drawn: for reading them back. */
  readonly whole: PeltSkinnedMesh;
  private readonly skin: RowSkin;
  /** A material serves one skin: each that is used has a copy here. */
  private readonly copies = new Map<THREE.Material, THREE.Material>();

  constructor(
    model: Model,
    paints: Paints,
    private rows: Rows,
    bones: number,
  ) {
    const { rest: position, restNormal: normal } = model.attributes,
      sphere = model.box.getBoundingSphere(new THREE.Sphere());
    this.skin = new RowSkin(rows, bones);
    const paint = <T extends THREE.Material>(material: T) => this.copyOf(material);
    const mesh = (geometry: THREE.BufferGeometry, material: THREE.Material) => {
      const made = this.skin.mesh(geometry, material);
      made.boundingSphere = sphere; // or three.js would pose all vertices here, to sort what it draws
      return made;
    };
    const lines = this.skin.lines.bind(this.skin);
    this.parts = new Parts(model, paints, { position, normal, mesh, lines, paint });
    const whole = new THREE.BufferGeometry();
    whole.setAttribute("position", position);
    whole.setAttribute("normal", normal);
    this.whole = mesh(whole, paint(paints.clay));
  }

  get group(): THREE.Group {
    return this.parts.group;
  }

  setPose(rows: Rows, bones: Float32Array): void {
    if (rows !== this.rows) this.skin.setRows(rows);
    this.rows = rows;
    this.skin.setMatrices(bones);
  }

  positions(): Float32Array {
    return this.whole.posedPositions();
  }

  dispose(): void {
    this.parts.dispose();
    release(this.whole.geometry);
    for (const copy of this.copies.values()) copy.dispose();
    this.skin.dispose();
  }

  private copyOf<T extends THREE.Material>(material: T): T {
    let copy = this.copies.get(material);
    if (!copy) this.copies.set(material, (copy = material.clone()));
    return copy as T;
  }
}
