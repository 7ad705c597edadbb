// What the page shows while something is prepared, and morph targets.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apart, biped, deform, made, pelt, Session } from "./support.js";

let session: Session;
const large = () =>
  made("biped20k.glb", (out) => pelt("sample", "biped", "--skin", "smooth", "--resolution", "20000", "-o", out));

beforeAll(async () => {
  session = await Session.open(large());
});
afterAll(async () => {
  await session?.close();
});

describe("while a method is prepared", () => {
  test("poses of the method before are shown", async () => {
    await session.set({ clip: "walk", time: 0 });
    const poses = await session.page.evaluate(`(async () => {
      const seen = new Set();
      let done = false;
      const change = studio.set({ lambda: 7 }).then(() => (done = true));
      for (let i = 0; !done; ++i) {
        void studio.set({ time: 0.01 * (i % 100) });
        await new Promise((resolve) => setTimeout(resolve, 5));
        seen.add(studio.positions(0).reduce((sum, x, i) => (i % 97 === 0 ? sum + x : sum), 0));
        if (seen.size > 8) break;
      }
      await change;
      return seen.size;
    })()`);
    expect(poses).toBeGreaterThan(8);
    await session.set({ lambda: null });
  });

  test("of a slider's moves the newest is shown at the end", async () => {
    await session.set({ clip: "walk", time: 0.5 });
    await session.page.evaluate(`(async () => {
      for (let i = 1; i <= 30; ++i) {
        void studio.set({ kappa: i });
        await new Promise((resolve) => setTimeout(resolve, 8));
      }
      await studio.set({ kappa: 31 });
    })()`);
    const native = deform(large(), "--method", "ddm", "--kappa", "31", "--clip", "walk", "--frames", "15:16");
    expect(apart(native, await session.positions())).toBeLessThan(4e-6);
    await session.set({ kappa: null });
  });

  test("another file may be opened, and what was asked for the first one is forgotten", async () => {
    const small = biped();
    await session.page.evaluate("void studio.set({ lambda: 3 })");
    await session.load(small, "small.glb");
    await session.set({ clip: "walk", time: 0.5 });
    const native = deform(small, "--method", "ddm", "--clip", "walk", "--frames", "15:16");
    expect(apart(native, await session.positions())).toBeLessThan(4e-6);
  });
});

describe("morph targets play as pelt deform writes them", () => {
  test("on joints, with every kind of method", async () => {
    const frames = made("morph_frames.npy", (out) =>
      pelt("deform", biped(), "--method", "ddm", "--frames", "::6", "-o", out),
    );
    const rest = made("morph_rest.obj", (out) => pelt("deform", biped(), "--bind-pose", "-o", out));
    const file = made("morphing.glb", (out) =>
      pelt("decompose", frames, "--rest", rest, "--bones", "6", "--eigenskin", "3", "-o", out),
    );
    await session.load(file, "morphing.glb");
    for (const method of ["lbs", "ddm", "dm"]) {
      await session.set({ method, time: 5 / 30 });
      const native = deform(file, "--method", method, "--frames", "5:6");
      expect(apart(native, await session.positions()), method).toBeLessThan(4e-6);
    }
  });

  test("and of a file that has nothing else", async () => {
    const file = made("shapes_only.glb", (out) => pelt("deform", biped(), "--frames", "::12", "-o", out));
    await session.load(file, "shapes.glb");
    expect((await session.state()).playing).toBe(true);
    await session.set({ time: 2 / 30 });
    expect(apart(deform(file, "--frames", "2:3"), await session.positions())).toBeLessThan(4e-6);
    expect(apart(deform(file, "--frames", "0:1"), await session.positions())).toBeGreaterThan(1e-3);
  });
});
