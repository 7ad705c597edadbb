// The free pose in a page: on characters and on meshes alone it is that of the program.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createPelt, type Handle, type PoserOptions } from "../dist/index.js";
import { diagonal, distance, pelt as program, read, readNpy, sample, work } from "./support.js";

const pelt = await createPelt();
const out = (name: string) => join(work, `poser_${name}`);

/** A mesh without joints as the bytes of a file. */
function meshFile(extension: string): Uint8Array {
  const file = out(`bar.${extension}`);
  program("deform", sample("bar", "--resolution=200"), "--bind-pose", "-o", file);
  return read(file);
}

const onTheBar: Handle[] = [
  { point: [0, 0, 0], constraint: "hold" },
  {
    segment: [
      [0, 0.4, 0],
      [0, 0.6, 0],
    ],
    constraint: "rotation",
    rotation: [0, 0, 30],
  },
  { region: [0, 1, 2], constraint: "position", offset: [0.05, 0, 0.1] },
  { point: [0, 1, 0], constraint: "position", target: [0.4, 0.8, 0.1] },
];
const onTheBiped: Handle[] = [
  { joint: "foot_L", constraint: "hold" },
  { joint: "foot_R", constraint: "hold" },
  { joint: "hand_L", constraint: "position", offset: [-0.2, 0.3, 0.2] },
];

function expectSamePose(bytes: Uint8Array, file: string, handles: Handle[], options: PoserOptions) {
  const hero = pelt.loadCharacter(bytes),
    poser = hero.poser({ free: true, ...options }),
    words = Object.entries(options).map(
      ([name, value]) => `--${name === "extraWeights" ? "extra-weights" : name}=${value}`,
    );
  poser.setHandles(handles);
  const energy = poser.step(30),
    course = poser.energies();
  expect(course.length).toBe(30);
  expect(course.at(-1)).toBe(energy);
  writeFileSync(out("h.json"), JSON.stringify({ handles }));
  program("pose", file, "--free", "--iterations=30", "--handles", out("h.json"), "-o", out("posed.npy"), ...words);
  const native = readNpy(out("posed.npy")).data;
  expect(distance(native, poser.positions()) / diagonal(hero.positions())).toBeLessThan(2e-6);
  expect(distance(hero.positions(), poser.positions()) / diagonal(hero.positions())).toBeGreaterThan(0.05);
  hero.dispose();
}

describe("a free poser", () => {
  it.each([{}, { extraWeights: 4 }])("has the pose of the program on a character, %o", (options) => {
    const file = sample("biped", "--skin=smooth", "--resolution=1500");
    expectSamePose(read(file), file, onTheBiped, options);
  });

  it.each([{}, { energy: "tets" as const, extraWeights: 4 }])("and on a mesh without joints, %o", (options) => {
    const bytes = meshFile("obj");
    expectSamePose(bytes, out("bar.obj"), onTheBar, options);
  });

  it("drags its handles", () => {
    const bar = pelt.loadCharacter(meshFile("ply")),
      poser = bar.poser({ extraWeights: 3 });
    expect(bar.joints.length).toBe(0);
    poser.setHandles(onTheBar);
    poser.step(10);
    const before = poser.positions();
    poser.setTarget(3, [0.2, 0.9, 0]);
    poser.setRotation(1, [0, 0, 10]);
    poser.step(10);
    expect(distance(before, poser.positions())).toBeGreaterThan(0.05);
    expect(poser.matrices().length).toBe(0);
    expect(poser.transforms().length).toBe(16 * (onTheBar.length + 3));
    expect(() => poser.setTarget(1, [0, 0, 0])).toThrow("handle 1 has no target");
    expect(() => poser.setTarget(3, [0, NaN, 0])).toThrow("not finite");
    bar.dispose();
  });

  it("is prepared for other handles in a worker while it is dragged", async () => {
    const own = await createPelt({ worker: true }),
      bytes = meshFile("obj"),
      [poser, straight] = [1, 2].map(() => own.loadCharacter(bytes).poser({ extraWeights: 3 }));
    poser.setHandles(onTheBar.slice(0, 2));
    poser.step(10);
    const fractions: number[] = [];
    let ready = false;
    const prepared = poser.prepare(onTheBar, { onProgress: (f) => fractions.push(f) }).then(() => (ready = true));
    poser.setRotation(1, [0, 0, 20]);
    poser.step(5);
    expect(ready).toBe(false);
    await prepared;
    expect(fractions.length).toBeGreaterThan(2);
    for (const each of [poser, straight]) {
      each.setHandles(onTheBar);
      each.step(3000);
    }
    expect(distance(poser.positions(), straight.positions())).toBeLessThan(2e-3);
    const control = new AbortController(),
      stopped = poser.prepare(onTheBar.slice(0, 3), { signal: control.signal });
    control.abort();
    await expect(stopped).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
    own.dispose();
  });

  it("opens .off too, and refuses what is no mesh", () => {
    const off = new TextEncoder().encode("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    expect(pelt.loadCharacter(off).vertexCount).toBe(3);
    expect(() => pelt.loadCharacter(new TextEncoder().encode("hello"))).toThrow();
  });
});
