import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { biped, diagonal, distance, mushed, native, Session } from "./support.js";

let session: Session;
beforeAll(async () => void (session = await Session.open("webgl")));
afterAll(() => session?.close());

describe("the biped in WebGL is where the program puts it", () => {
  for (const variant of ["v0", "v1", "v2", "v3", "v4", "v5"])
    test(variant, async () => {
      const file = mushed(biped(), `biped_${variant}.glb`, "--variant", variant);
      const meshes = await session.load(file);
      expect(meshes.map((mesh) => mesh.pelt)).toEqual([true]);
      for (const frame of [0, 11, 23]) {
        const wanted = native(file, "ddm", "walk", frame);
        await session.page.evaluate(`harness.pose("walk", ${frame / 30})`);
        const size = diagonal(wanted.positions);
        const apart = distance(await session.floats(`harness.read("Positions")`), wanted.positions) / size;
        const turned = distance(await session.floats(`harness.read("Normals")`), wanted.normals);
        console.log(variant, frame, apart, turned);
        expect(apart).toBeLessThan(1e-4);
        expect(turned).toBeLessThan(5e-3);
      }
    });
});
