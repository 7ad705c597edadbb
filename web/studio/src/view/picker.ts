import * as THREE from "three";
import { MeshBVH } from "three-mesh-bvh";
import type { Model } from "./model.js";

/** Finds the vertex of the shown surface that a ray meets first. */
export class Picker {
  private shown: Float32Array | null = null;
  private tree: MeshBVH | null = null;

  pick(model: Model, positions: Float32Array, ray: THREE.Ray, hidden: readonly number[]): number {
    if (this.shown !== positions) this.build(model, positions, hidden);
    const hit = this.tree?.raycastFirst(ray, THREE.DoubleSide);
    if (!hit?.face) return -1;
    const corners = [hit.face.a, hit.face.b, hit.face.c];
    const distance = (v: number) => new THREE.Vector3().fromArray(positions, 3 * v).distanceToSquared(hit.point);
    return corners.reduce((best, v) => (distance(v) < distance(best) ? v : best));
  }

  /**
   * The place at rest in the middle between where a ray enters the shown surface and where it leaves it; on a sheet, where
   * it meets it.
   */
  inside(model: Model, positions: Float32Array, ray: THREE.Ray, hidden: readonly number[]): THREE.Vector3 | null {
    if (this.shown !== positions) this.build(model, positions, hidden);
    const hits = (this.tree?.raycast(ray, THREE.DoubleSide) ?? []).sort((a, b) => a.distance - b.distance),
      rest = model.loaded.positions;
    const [first, second] = hits.flatMap(({ face, point }) => {
      const corners = [face!.a, face!.b, face!.c],
        at = (of: Float32Array) => corners.map((v) => new THREE.Vector3().fromArray(of, 3 * v));
      const [a, b, c] = at(positions),
        parts = THREE.Triangle.getBarycoord(point, a, b, c, new THREE.Vector3());
      if (!parts) return [];
      const made = new THREE.Vector3();
      at(rest).forEach((corner, i) => made.addScaledVector(corner, parts.getComponent(i)));
      return [made];
    });
    if (!first) return null;
    return second ? first.lerp(second, 0.5) : first;
  }

  /** After parts were hidden or shown. */
  forget(): void {
    this.shown = this.tree = null;
  }

  private build(model: Model, positions: Float32Array, hidden: readonly number[]): void {
    const faces = model.parts
      .filter((_, i) => !hidden.includes(i))
      .flatMap((part) => [part.index.array as Uint32Array]);
    const index = new Uint32Array(faces.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of faces) {
      index.set(part, at);
      at += part.length;
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    this.tree = index.length > 0 ? new MeshBVH(geometry) : null;
    this.shown = positions;
  }
}
