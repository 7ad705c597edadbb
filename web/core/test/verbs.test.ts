import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createPelt, type Made } from "../dist/index.js";
import { diagonal, distance, expectSame, json, keys, pelt as program, read, readNpy, sample, work } from "./support.js";

const pelt = await createPelt();
const biped = sample("biped", "--resolution=1000");
const hero = pelt.loadCharacter(read(biped));

/** Files of the program and of this package play the same, and both report the same things. */
function expectSameFile(
  made: Made,
  native: string,
  report: object,
  method: string,
  clip: number | string,
  frame: number,
) {
  expect(keys(made.report).sort()).toEqual(keys(report).sort());
  const [mine, theirs] = [made.bytes, read(native)].map((bytes) => pelt.loadCharacter(bytes));
  expect(mine.vertexCount).toBe(theirs.vertexCount);
  expect(mine.joints).toEqual(theirs.joints);
  expectSame(mine, native, method, clip, frame);
  mine.dispose();
  theirs.dispose();
}

const out = (name: string) => join(work, `native_${name}.glb`);

describe("verbs make what the program makes", () => {
  it("mush", async () => {
    const made = await hero.mush({ kappa: 1, influences: 4 });
    const report = json("mush", biped, "-o", out("mush"), "--kappa=1", "--influences=4");
    expectSameFile(made, out("mush"), report, "ddm", "walk", 9);
    expect(made.report.expected_error).toBeCloseTo(report.expected_error, 9);
  });

  it("bind", async () => {
    const bar = sample("bar", "--resolution=300"),
      limb = pelt.loadCharacter(read(bar));
    for (const [character, file, method] of [
      [hero, biped, "smooth"],
      [hero, biped, "rigid"],
      [limb, bar, "bbw"],
    ] as const) {
      const made = await character.bind({ method });
      expectSameFile(made, out("bind"), json("bind", file, "--method", method, "-o", out("bind")), "lbs", 0, 9);
    }
  });

  it("bake", async () => {
    const made = await hero.bake({ from: "ddm", influences: 4, clip: "walk", fps: 10 });
    const words = ["--from=ddm", "--influences=4", "--clip=walk", "--fps=10"];
    expectSameFile(made, out("bake"), json("bake", biped, ...words, "-o", out("bake")), "lbs", "walk", 9);
  });

  it("pose", async () => {
    const handles = { handles: [{ joint: "hand_L", constraint: "position", offset: [-0.2, 0.4, 0.2] }] };
    writeFileSync(join(work, "handles.json"), JSON.stringify(handles));
    const made = await hero.pose(handles);
    const report = json("pose", biped, "--handles", join(work, "handles.json"), "-o", out("pose"), "--no-cache");
    expect(keys(made.report).sort()).toEqual(keys(report).sort());
  });

  it("fit", async () => {
    const arm = sample("arm", "--resolution=600"),
      limb = pelt.loadCharacter(read(arm)),
      frames = join(work, "arm.npy");
    program("deform", arm, "--method", "dqs", "--fps=10", "-o", frames);
    const made = await limb.fit(readNpy(frames).data, { maxExtraJoints: 1, fps: 10 });
    const report = json("fit", arm, frames, "--max-extra-joints=1", "--fps=10", "-o", out("fit"));
    expectSameFile(made, out("fit"), report, "lbs", 0, 5);
    limb.dispose();
  });

  it("decompose", async () => {
    const arm = sample("arm", "--resolution=600"),
      limb = pelt.loadCharacter(read(arm)),
      frames = join(work, "arm_lbs.npy");
    program("deform", arm, "--method", "lbs", "-o", frames);
    const rest = { positions: limb.positions(), triangles: limb.triangles() };
    const made = await pelt.decompose(readNpy(frames).data, rest, { bones: 4 });
    const report = json("decompose", frames, "--rest", arm, "--bones=4", "-o", out("decompose"));
    expect(keys(made.report).sort()).toEqual(keys(report).sort());
    expect(made.report.e_rms).toBeCloseTo(report.e_rms, 3);
    limb.dispose();
  });

  it("compare", () => {
    const rest = hero.positions(),
      moved = rest.map((x) => x + 0.01);
    const report = pelt.compare(rest, moved, rest);
    expect(report.max).toBeCloseTo(0.01 * Math.sqrt(3), 5);
    expect(report.frames.length).toBe(1);
    expect(() => pelt.compare(rest, moved.subarray(3), rest)).toThrow("b has");
  });
});

describe("a poser", () => {
  it("pulls a joint to its target and holds the pins; the same handles elsewhere go on from there", () => {
    const poser = hero.poser({ clusters: 40 });
    const deformer = hero.deformer("lbs"),
      posed = new Float32Array(3 * hero.vertexCount);
    const foot = hero.joints.findIndex((joint) => joint.name === "foot_L");
    const at = (y: number) => [
      { joint: "hand_L", constraint: "position", offset: [-0.2, y, 0.2] },
      { joint: "foot_L", constraint: "hold" },
    ];
    poser.setHandles(at(0.2));
    const first = poser.step(1),
      later = poser.step(60);
    expect(later).toBeLessThanOrEqual(first * (1 + 1e-9));
    const low = poser.matrices();
    deformer.evaluate(low, posed);
    expect(distance(posed, hero.positions()) / diagonal(hero.positions())).toBeGreaterThan(0.05);
    poser.setHandles({ handles: at(0.5) });
    poser.step(60);
    expect(poser.matrices()).not.toEqual(low);
    expect(foot).toBeGreaterThan(0);
    expect(() => poser.setHandles([{ joint: "tail", constraint: "hold" }])).toThrow(/tail/);
    poser.dispose();
    deformer.dispose();
  });

  const apart = (a: Float32Array, b: Float32Array) => Math.max(...a.map((x, i) => Math.abs(x - b[i])));

  it("with rigid joints finds the pose of pelt pose, from a moment of a clip and within limits", async () => {
    const handles = [
      {
        joint: "left_tip",
        constraint: "position",
        offsets: [
          [0, [0, 0, 0]],
          [0.1, [-0.1, 0.15, 0.1]],
        ],
      },
      { joint: "right_tip", constraint: "hold" },
    ];
    const last = [{ joint: "left_tip", constraint: "position", offset: [-0.1, 0.15, 0.1] }, handles[1]];
    const branch = pelt.loadCharacter(read(sample("branch", "--skin=smooth", "--resolution=500")));
    for (const options of [
      { keepLengths: true },
      { limits: { default: { bend: 40, twist: 30 } } },
      { keepLengths: true, clip: "sway", at: 0.4 },
    ]) {
      const poser = branch.poser(options);
      const { bytes } = await branch.pose(last, options),
        posed = pelt.loadCharacter(bytes);
      poser.setHandles(last);
      poser.step();
      expect(apart(poser.matrices(), posed.skinMatrices(0, 0))).toBeLessThan(1e-5);
      posed.dispose();
      const { bytes: keyed } = await branch.pose(handles, options),
        moving = pelt.loadCharacter(keyed);
      poser.setHandles(handles);
      const clip = poser.clip();
      for (const time of [0, 0.04, 0.1])
        expect(apart(clip.skinMatrices(0, time), moving.skinMatrices(0, time))).toBeLessThan(1e-5);
      for (const one of [moving, clip, poser]) one.dispose();
    }
    branch.dispose();
  });
});
