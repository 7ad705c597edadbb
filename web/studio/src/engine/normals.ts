/** Normals of a shape that bends: vertices that were apart at a seam, but smooth, stay smooth. */
export class Normals {
  /** The vertices that share a normal have one number. */
  private readonly group: Uint32Array;
  private readonly sums: Float64Array;

  constructor(
    rest: Float32Array,
    normals: Float32Array,
    private readonly triangles: Uint32Array,
  ) {
    const groups = new Map<string, number>();
    this.group = new Uint32Array(rest.length / 3);
    for (let v = 0; v < this.group.length; ++v) {
      const place = rest.subarray(3 * v, 3 * v + 3).join(),
        facing = Array.from(normals.subarray(3 * v, 3 * v + 3), (n) => Math.round(8 * n)).join(),
        key = `${place};${facing}`;
      let group = groups.get(key);
      if (group === undefined) groups.set(key, (group = groups.size));
      this.group[v] = group;
    }
    this.sums = new Float64Array(3 * groups.size);
  }

  /** Means over the triangles around each vertex, by area. */
  of(positions: Float32Array): Float32Array {
    const { group, sums, triangles } = this;
    sums.fill(0);
    for (let t = 0; t < triangles.length; t += 3) {
      const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
      const ux = positions[b] - positions[a],
        uy = positions[b + 1] - positions[a + 1],
        uz = positions[b + 2] - positions[a + 2],
        vx = positions[c] - positions[a],
        vy = positions[c + 1] - positions[a + 1],
        vz = positions[c + 2] - positions[a + 2];
      const x = uy * vz - uz * vy,
        y = uz * vx - ux * vz,
        z = ux * vy - uy * vx;
      for (let k = 0; k < 3; ++k) {
        const at = 3 * group[triangles[t + k]];
        sums[at] += x;
        sums[at + 1] += y;
        sums[at + 2] += z;
      }
    }
    const normals = new Float32Array(positions.length);
    for (let v = 0; v < group.length; ++v) {
      const at = 3 * group[v],
        length = Math.hypot(sums[at], sums[at + 1], sums[at + 2]) || 1;
      for (let c = 0; c < 3; ++c) normals[3 * v + c] = sums[at + c] / length;
    }
    return normals;
  }
}
