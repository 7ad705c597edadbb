import * as THREE from "three";
import type { Model } from "./model.js";

/** The joints of a pose: positions for drawing, picking and labels. */
export class SkeletonView {
  readonly group = new THREE.Group();
  readonly positions: Float32Array;
  private readonly bones: THREE.LineSegments;
  private readonly dots: THREE.Points;
  private readonly chosen: THREE.Points;
  private readonly rest: Float32Array;

  constructor(
    private readonly model: Model,
    accent: THREE.Color,
  ) {
    const { joints, info } = model.loaded;
    this.rest = Float32Array.from(joints.flatMap((_, j) => info.joints?.[j]?.position ?? [0, 0, 0]));
    this.positions = this.rest.slice();
    const links = joints.flatMap(({ parent }, j) => (parent >= 0 ? [parent, j] : []));
    const line = new THREE.LineBasicMaterial({ color: accent, depthTest: false, transparent: true, opacity: 0.85 });
    const dot = discs(new THREE.Color(0xffffff), 7),
      big = discs(accent, 13);
    const position = new THREE.BufferAttribute(this.positions, 3);
    this.bones = new THREE.LineSegments(geometryOf(position, links), line);
    this.dots = new THREE.Points(geometryOf(position, [...joints.keys()]), dot);
    this.chosen = new THREE.Points(geometryOf(position, []), big);
    for (const [order, object] of [this.bones, this.dots, this.chosen].entries()) {
      object.frustumCulled = false;
      object.renderOrder = 10 + order;
      this.group.add(object);
    }
  }

  setMatrices(matrices: Float32Array): void {
    for (let j = 0; j < this.rest.length / 3; ++j) {
      const [x, y, z] = this.rest.subarray(3 * j, 3 * j + 3),
        m = matrices.subarray(16 * j, 16 * j + 16);
      for (let c = 0; c < 3; ++c) this.positions[3 * j + c] = m[c] * x + m[4 + c] * y + m[8 + c] * z + m[12 + c];
    }
    this.bones.geometry.getAttribute("position").needsUpdate = true;
  }

  setColor(color: THREE.Color): void {
    for (const object of [this.bones, this.chosen]) (object.material as THREE.LineBasicMaterial).color.copy(color);
  }

  choose(joint: number): void {
    this.chosen.geometry.setIndex(joint >= 0 ? [joint] : []);
  }

  at(joint: number): THREE.Vector3 {
    return new THREE.Vector3().fromArray(this.positions, 3 * joint);
  }

  /** The joint nearest to a point of the screen, within `reach` pixels; -1 if none is. */
  nearest(x: number, y: number, project: (point: THREE.Vector3) => THREE.Vector3, reach: number): number {
    let best = -1,
      distance = reach;
    for (let j = 0; j < this.model.loaded.joints.length; ++j) {
      const point = project(this.at(j)),
        apart = Math.hypot(point.x - x, point.y - y);
      if (apart < distance && point.z < 1) [best, distance] = [j, apart];
    }
    return best;
  }

  dispose(): void {
    for (const object of [this.bones, this.dots, this.chosen]) {
      object.geometry.dispose();
      (object.material as THREE.Material).dispose();
    }
  }
}

/** Points as round discs with a dark rim, in pixels of the screen. */
function discs(color: THREE.Color, size: number): THREE.PointsMaterial {
  const material = new THREE.PointsMaterial({
    color,
    size,
    sizeAttenuation: false,
    depthTest: false,
    transparent: true,
  });
  material.onBeforeCompile = (shader) => {
    shader.fragmentShader = shader.fragmentShader.replace(
      "#include <opaque_fragment>",
      `float away = length(gl_PointCoord - 0.5);
      outgoingLight = mix(outgoingLight, vec3(0.02), smoothstep(0.3, 0.38, away));
      diffuseColor.a *= 1.0 - smoothstep(0.5 - fwidth(away), 0.5, away);
      #include <opaque_fragment>`,
    );
  };
  return material;
}

function geometryOf(position: THREE.BufferAttribute, index: number[]): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry().setIndex(index);
  geometry.setAttribute("position", position);
  return geometry;
}
