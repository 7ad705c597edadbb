// What the GPU poses: read back and compared with the processor's vertices, which other tests compare with the program.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { carrying, morphing } from "../../three/test/fixtures.js";
import { differing, pictureOf } from "./pixels.js";
import { apart, biped, openStudio, shared } from "./support.js";

const bound = 1e-5; // of the diagonal

const session = openStudio(() => [biped(4000)], { pictures: true });

const floats = async (expression: string) => new Float32Array((await session.bytes(expression)).buffer);
const drawn = (view = 0) => floats(`studio.drawn(${view}).then((read) => new Uint8Array(read.buffer))`);
const isOnGpu = (view = 0) => session.page.evaluate(`studio.drawn(${view}).then((read) => read !== null)`);

/** What the GPU draws at a moment is what the processor computes for it. */
async function expectSame(method: string, clip: string | number, time: number): Promise<void> {
  await session.set({ methods: [method], clip, time });
  expect(apart(await session.positions(), await drawn()), method).toBeLessThan(bound);
}

describe("the GPU draws what the processor computes", () => {
  test.each(["ddm", "lbs", "cor", "ddm-v0", "ddm-v1", "ddm-v2", "ddm-v3", "ddm-v4", "ddm-v5", "eddm"])(
    "by %s",
    async (method) => {
      for (const time of [0.3, 0.9]) await expectSame(method, "walk", time);
    },
  );

  test("also after a setting changed", async () => {
    await expectSame("ddm", "walk", 0.5);
    const before = await drawn();
    await session.set({ kappa: 40 });
    expect(apart(await session.positions(), await drawn())).toBeLessThan(bound);
    expect(apart(before, await drawn())).toBeGreaterThan(1e-4);
    await session.set({ kappa: null });
  });

  test("in several views, each by its own method", async () => {
    await session.set({ methods: ["ddm", "lbs", "eddm"], clip: "walk", time: 0.4 });
    for (const view of [0, 1, 2])
      expect(apart(await session.positions(view), await drawn(view)), String(view)).toBeLessThan(bound);
    expect(apart(await drawn(0), await drawn(1))).toBeGreaterThan(1e-3);
    await session.set({ methods: ["ddm"] });
  });

  test("in pictures: those of the processor's vertices differ in a few pixels at most", async () => {
    await session.set({ methods: ["ddm"], wireframe: true, clip: "walk", time: 0.2 });
    const different = (await session.page.evaluate(`(async () => {
      const pixels = async (png) => {
        const image = await createImageBitmap(new Blob([png])), canvas = new OffscreenCanvas(image.width, image.height);
        const pen = canvas.getContext("2d");
        pen.drawImage(image, 0, 0);
        return pen.getImageData(0, 0, image.width, image.height).data;
      };
      const share = (a, b) => a.filter((value, i) => Math.abs(value - b[i]) > 16).length / a.length;
      const before = await pixels(studio.picture());
      studio.set({ time: 0.5 });
      const processor = await pixels(studio.picture()); // not awaited: computed in the page
      await studio.set({});
      const gpu = await pixels(studio.picture());
      return { same: share(processor, gpu), other: share(before, gpu) };
    })()`)) as { same: number; other: number };
    expect(await isOnGpu()).toBe(true);
    expect(different.same).toBeLessThan(2e-4);
    expect(different.other).toBeGreaterThan(2e-3);
    await session.set({ wireframe: false });
  });

  test("with props", async () => {
    await session.load(await carrying(), "carrying.glb");
    for (const method of ["ddm", "lbs", "ddm-v3"]) await expectSame(method, "walk", 0.7);
  });

  const real = {
    Casual: "flagged-no-explicit-licence/rigged/quaternius/modular_men-Casual.glb",
    Mage: "rigged/kaykit/Mage.glb",
  };
  for (const [name, path] of Object.entries(real))
    test.skipIf(!existsSync(join(shared, path)))(`of ${name}`, async () => {
      await session.load(join(shared, path), `${name}.glb`);
      for (const method of ["ddm", "lbs", "eddm"]) await expectSame(method, "@range", 2.4);
    });
});

describe("while a clip plays", () => {
  beforeAll(() => session.load(biped(4000), "biped.glb"));

  test("only matrices leave the worker, and only they go to the GPU", async () => {
    const worker = session.page.workers().find((one) => one.url().includes("player"))!;
    await session.set({ methods: ["ddm"], clip: "walk", playing: true });
    await worker.evaluate(`(() => {
      const { postMessage } = self;
      self.answers = [];
      self.postMessage = (message, moved = []) => {
        answers.push(moved.reduce((sum, buffer) => sum + buffer.byteLength, 0));
        postMessage.call(self, message, moved);
      };
    })()`);
    const sent = (await session.page.evaluate(`(async () => {
      const wait = async (poses) => {
        for (const end = studio.poses + poses; studio.poses < end; ) await new Promise(requestAnimationFrame);
      };
      await wait(2); // what is uploaded once
      const prototype = WebGL2RenderingContext.prototype, own = {};
      let bytes = 0;
      for (const name of ["bufferData", "bufferSubData", "texImage2D", "texSubImage2D"]) {
        own[name] = prototype[name];
        prototype[name] = function (...values) {
          bytes += values.reduce((sum, value) => sum + (ArrayBuffer.isView(value) ? value.byteLength : 0), 0);
          return own[name].apply(this, values);
        };
      }
      const before = studio.poses;
      await wait(6);
      Object.assign(prototype, own);
      return bytes / (studio.poses - before);
    })()`)) as number;
    const answers = (await worker.evaluate("answers")) as number[];
    for (const bytes of [sent, Math.max(...answers)]) {
      expect(bytes).toBeGreaterThan(64);
      expect(bytes).toBeLessThan(16384);
    }
  });

  test("scripts get the vertices that are shown", async () => {
    const here = await floats(`(async () => {
      const here = studio.positions(0), reading = studio.drawn(0); // of one picture: nothing is awaited in between
      window.there = await reading;
      return new Uint8Array(here.buffer);
    })()`);
    const there = await floats("new Uint8Array(window.there.buffer)");
    expect(apart(here, there)).toBeLessThan(bound);
    expect((await session.state()).playing).toBe(true);
  });

  test("errors are colors all the same", async () => {
    await session.set({ activity: "compare", methods: ["ddm", "lbs"], heat: true, playing: true });
    await session.page.waitForFunction("studio.curves() !== null");
    await session.page.getByText(/RMS [\d.]+ · max [\d.]+/).waitFor();
    await session.set({ heat: false, layout: "silhouettes" });
    expect(await isOnGpu()).toBe(false);
    await session.page.getByText(/[1-9.]+ % of the outline differs/).waitFor();
    await session.set({ layout: "views", methods: ["ddm"], activity: "look" });
    expect(await isOnGpu()).toBe(true);
  });

  test("colors follow, also after a method that the GPU poses", async () => {
    await session.tab("Compare");
    for (const method of ["dqs", "lbs", "dqs"]) {
      await session.set({ heat: true, clip: "walk", time: 0.5, methods: ["ddm", method], heatTop: 1 });
      await session.page.evaluate("studio.picture()");
    }
    const before = await pictureOf(session);
    await session.set({ heatTop: 1e-3 });
    expect(differing(before, await pictureOf(session))).toBeGreaterThan(0.01);
    await session.set({ heat: false, heatTop: null, methods: ["ddm"], playing: true });
    await session.tab("Look");
  });

  test("a setting that cannot be prepared does not hold up the page", async () => {
    await session.set({ methods: ["ddm", "lbs"], kappa: -1, playing: true });
    await session.set({ time: 0.3 });
    await session.page.getByText(/kappa/).first().waitFor();
    await session.set({ kappa: null, methods: ["ddm"], playing: true });
    expect(await isOnGpu()).toBe(true);
  });

  test("a method or a file that changes leaves no texture behind", async () => {
    const { page } = session;
    await page.evaluate(`(() => {
      const prototype = WebGL2RenderingContext.prototype, { createTexture, deleteTexture } = prototype;
      window.textures = new Set();
      prototype.createTexture = function () {
        const made = createTexture.call(this);
        textures.add(made);
        return made;
      };
      prototype.deleteTexture = function (gone) {
        textures.delete(gone);
        return deleteTexture.call(this, gone);
      };
    })()`);
    const round = async () => {
      for (const methods of [["lbs"], ["dqs"], ["ddm", "ddm-v2"], ["ddm"]]) {
        await session.set({ methods, time: 0.1 });
        await page.evaluate("studio.picture()");
      }
      await session.load(biped(4000), "biped.glb");
      await session.set({ time: 0.1 });
      await page.evaluate("studio.picture()");
      return page.evaluate("textures.size");
    };
    const first = await round();
    expect(first).toBeGreaterThan(0);
    expect(await round()).toBe(first);
  });
});

describe("the processor's vertices are drawn", () => {
  test("by methods that have no shader", async () => {
    await session.set({ methods: ["dqs"], clip: "walk", time: 0.5 });
    expect(await isOnGpu()).toBe(false);
  });

  test("at moments with morph targets alone", async () => {
    await session.load(await morphing(), "morphing.glb");
    await session.set({ methods: ["ddm"], clip: "walk", time: 0.5 });
    expect(await isOnGpu()).toBe(false);
    await session.set({ time: 0 });
    expect(await isOnGpu()).toBe(true);
  });

  test("in a pose by handles", async () => {
    await session.load(biped(4000), "biped.glb");
    await session.set({ activity: "pose", handles: [{ joint: "hand_L", pinned: false, offset: [0, 0.2, 0] }] });
    expect(await isOnGpu()).toBe(false);
    await session.set({ activity: "look", clip: "walk", time: 0.5 });
    expect(await isOnGpu()).toBe(true);
  });
});

test("nothing was written to the console", () => {
  expect(session.messages).toEqual([]);
});
