// Rows and matrices of @pelt/core, posed on the processor: what the shaders read, without a GPU.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BufferAttribute, BufferGeometry, MeshBasicMaterial } from "three";
import { describe, expect, test } from "vitest";
import { type Character, createPelt } from "../../core/dist/index.js";
import { RowSkin } from "../dist/index.js";
import { carrying, morphing, scaled, virtualJoints } from "./fixtures.js";
import { biped, diagonal, distance, shared } from "./support.js";

const pelt = await createPelt();
const load = (file: string) => pelt.loadCharacter(new Uint8Array(readFileSync(file)));

/** The distance from what @pelt/core itself computes, in diagonals; both at a moment of a clip. */
function apart(hero: Character, method: string, clip: string | number, seconds: number): number {
  const deformer = hero.deformer(method),
    positions = new Float32Array(3 * hero.vertexCount),
    bones = hero.bones(clip, seconds)!;
  deformer.evaluateAt(clip, seconds, positions);
  const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(hero.positions(), 3));
  const skin = new RowSkin(hero.rowsOf(deformer.bytes())!, bones.length / 16),
    mesh = skin.mesh(geometry, new MeshBasicMaterial());
  deformer.dispose();
  skin.setMatrices(bones);
  return distance(mesh.posedPositions(), positions) / diagonal(positions);
}

describe("rows of a prepared method, posed by the bones of a moment, are the vertices of that moment", () => {
  const hero = load(biped());
  for (const method of ["lbs", "cor", "ddm", "ddm-v0", "ddm-v1", "ddm-v2", "ddm-v3", "ddm-v4", "ddm-v5", "eddm"])
    test(`by ${method}`, () => {
      for (const seconds of [0.3, 0.9]) expect(apart(hero, method, "walk", seconds)).toBeLessThan(2e-6);
    });

  test("of a file with virtual joints, whose weights are packed in another form", () => {
    for (const seconds of [0.3, 0.9]) expect(apart(load(virtualJoints()), "lbs", "walk", seconds)).toBeLessThan(2e-6);
  });

  test("where joints scale", async () => {
    const scaling = load(await scaled());
    for (const method of ["lbs", "ddm", "ddm-v0", "eddm"]) expect(apart(scaling, method, "walk", 1)).toBeLessThan(2e-6);
  });

  test("of props, on joints and on nodes that move by themselves", async () => {
    const loaded = load(await carrying());
    expect(loaded.bones("walk", 0)!.length / 16).toBe(loaded.joints.length + 2);
    for (const method of ["lbs", "ddm", "ddm-v2"]) expect(apart(loaded, method, "walk", 0.7)).toBeLessThan(2e-6);
  });

  const real = {
    Mage: "rigged/kaykit/Mage.glb",
    Casual: "flagged-no-explicit-licence/rigged/quaternius/modular_men-Casual.glb",
    RobotExpressive: "rigged/RobotExpressive/RobotExpressive.glb",
  };
  for (const [name, path] of Object.entries(real))
    test.skipIf(!existsSync(join(shared, path)))(`of ${name}`, () => {
      const character = load(join(shared, path));
      for (const method of ["lbs", "ddm", "eddm"]) expect(apart(character, method, "@range", 2.4)).toBeLessThan(2e-6);
      character.dispose();
    });
});

test("a moment with morph targets has no bones: rows do not have its shape", async () => {
  const character = load(await morphing());
  expect(character.bones("walk", 0.5)).toBeNull();
  expect(character.bones("walk", 0)).not.toBeNull();
});

test("dual quaternions have no rows", () => {
  const hero = load(biped());
  expect(hero.rowsOf(hero.deformer("dqs").bytes())).toBeNull();
});

test("one skin takes the rows of another method", () => {
  const hero = load(biped()),
    bones = hero.bones("walk", 0.5)!;
  const rows = (method: string, options = {}) => hero.rowsOf(hero.deformer(method, options).bytes())!;
  const geometry = () => new BufferGeometry().setAttribute("position", new BufferAttribute(hero.positions(), 3));
  const skin = new RowSkin(rows("lbs"), bones.length / 16),
    fresh = new RowSkin(rows("ddm-v2"), bones.length / 16);
  const [mesh, other] = [skin, fresh].map((one) => one.mesh(geometry(), new MeshBasicMaterial()));
  skin.setMatrices(bones);
  const linear = mesh.posedPositions().slice();
  skin.setRows(rows("ddm-v2"));
  for (const one of [skin, fresh]) one.setMatrices(bones);
  expect(mesh.posedPositions()).toEqual(other.posedPositions());
  expect(distance(mesh.posedPositions(), linear)).toBeGreaterThan(1e-3);
  const before = mesh.posedPositions().slice();
  skin.setRows(rows("ddm-v2", { kappa: 40 }));
  expect(distance(mesh.posedPositions(), before)).toBeGreaterThan(1e-4);
});
