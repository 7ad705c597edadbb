// What the page shows while something is prepared, and morph targets.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { apart, bar, biped, deform, made, openStudio, pelt, readNpy, work } from "./support.js";

/** Takes long enough to prepare that something happens meanwhile. */
const large = () => biped(8000);

const session = openStudio(() => [large()]);

describe("while a method is prepared", () => {
  test("poses of the method before are shown", async () => {
    await session.set({ clip: "walk", time: 0 });
    const poses = await session.page.evaluate(`(async () => {
      const before = studio.poses;
      let done = false;
      const change = studio.set({ lambda: 7 }).then(() => (done = true));
      let poses = 0;
      for (let i = 0; !done; ++i) {
        poses = studio.poses - before;
        void studio.set({ time: 0.01 * (i % 100) });
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await change;
      return poses;
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

  test("another file may be opened, and requests for the first one are forgotten", async () => {
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

describe("a .glb with animated morph targets is a sequence", () => {
  test("that is decomposed as the program does it", async () => {
    const file = made("bar_shapes.glb", (out) => pelt("deform", bar(), "--frames", "0:20", "-o", out)),
      frames = made("bar_shapes.npy", (out) => pelt("deform", bar(), "--frames", "0:20", "-o", out));
    await session.drop(file);
    const { page } = session;
    await page.getByText(/frames of .* vertices\. Fit or decompose it/).waitFor();
    expect((await session.state()).file).toBe("bar_shapes.glb");
    const { report } = (await page.evaluate(`studio.run("decompose", { bones: 4 })`)) as any;
    const own = join(work, "bar_shapes_own.glb");
    writeFileSync(own, await session.bytes(`studio.run("decompose", { bones: 4 }).then(({ bytes }) => bytes)`));
    const native = join(work, "bar_shapes_native.glb");
    const wanted = JSON.parse(pelt("decompose", file, "--bones", "4", "--json", "-o", native));
    expect(report.frames).toEqual(wanted.frames);
    expect(report.e_rms).toBeCloseTo(wanted.e_rms, 2);
    expect(apart(deform(native), deform(own))).toBeLessThan(1e-3);
    expect(apart(readNpy(frames), deform(own))).toBeLessThan(0.02);
  });

  test("of example poses where its vertices are those of the open character", async () => {
    await session.load(bar(), "bar.glb");
    await session.drop(made("bar_examples.glb", (out) => pelt("deform", bar(), "--frames", "::10", "-o", out)));
    await session.page.getByText(/bar_examples\.glb: .* frames/).waitFor();
    expect((await session.state()).file).toBe("bar.glb");
  });
});
