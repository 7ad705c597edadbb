import { expect, test } from "vitest";
import { suite } from "./suite.js";
import { biped, diagonal, distance, mushed, native, Session } from "./support.js";

suite("webgpu");

test("WebGPURenderer where there is only WebGL 2", async () => {
  const session = await Session.open("nodes-webgl");
  const file = mushed(biped(), "biped_v0.glb");
  await session.load(file);
  await session.page.evaluate(`harness.pose("walk", ${11 / 30})`);
  const { positions, normals } = native(file, "ddm", "walk", 11);
  expect(distance(await session.floats(`harness.read("Positions")`), positions) / diagonal(positions)).toBeLessThan(
    1e-4,
  );
  expect(distance(await session.floats(`harness.read("Normals")`), normals)).toBeLessThan(2e-3);
  await session.close();
});

test("with @pelt/three/webgpu the first frame is right", async () => {
  const node = "harness.meshesOf(harness.state.gltf.scene)[0].material.positionNode";
  const session = await Session.open("webgpu");
  const file = mushed(biped(), "biped_v0.glb");
  await session.load(file);
  expect(await session.page.evaluate(`${node} === null`)).toBe(true); // loaded on first use
  await session.page.evaluate(`import("@pelt/three/webgpu")`);
  await session.load(file);
  expect(await session.page.evaluate(`${node}?.isNode`)).toBe(true);
  await session.close();
});
