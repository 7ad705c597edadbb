// Through the controls a person uses, checked against the native program.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { apart, biped, deform, expectValid, openStudio, pelt, work } from "./support.js";

const session = openStudio(() => [biped()]);

describe("pose", () => {
  test("a pulled hand arrives, a pinned foot stays, and keys become a clip as pelt pose makes it", async () => {
    await session.tab("Pose");
    const { page } = session;
    await page.getByLabel("Joint to hold").selectOption("foot_L");
    await page.getByRole("button", { name: "Pin", exact: true }).click();
    await page.getByLabel("Joint to hold").selectOption("hand_R");
    await page.getByRole("button", { name: "Pull", exact: true }).click();
    await session.set({});
    const before = await session.positions();
    await page.keyboard.press("k");
    await session.set({ time: 0.2 });
    await page.getByLabel("hand_R, offset along y").fill("0.3");
    await page.keyboard.press("Enter");
    await session.set({});
    const after = await session.positions();
    const moved = (v: number) => Math.hypot(...[0, 1, 2].map((c) => after[3 * v + c] - before[3 * v + c]));
    const rest = deform(biped(), "--bind-pose");
    const nearest = (x: number, y: number, z: number) => {
      let best = 0,
        distance = Infinity;
      for (let v = 0; v < rest.length / 3; ++v) {
        const d = Math.hypot(rest[3 * v] - x, rest[3 * v + 1] - y, rest[3 * v + 2] - z);
        if (d < distance) [best, distance] = [v, d];
      }
      return best;
    };
    const joints = JSON.parse(pelt("info", biped(), "--json")).joints;
    const place = (name: string) =>
      joints.find((joint: any) => joint.name === name).position as [number, number, number];
    expect(moved(nearest(...place("hand_R")))).toBeGreaterThan(0.2);
    expect(moved(nearest(...place("foot_L")))).toBeLessThan(0.02);
    await page.locator("body").press("k");
    expect((await session.state()).keys.length).toBe(2);
    const { handles, keys } = await session.state();
    await page.getByRole("button", { name: "Make a clip" }).click();
    await page.getByRole("button", { name: "Download", exact: true }).waitFor();
    const posed = await session.download("Download");
    await expectValid(posed);
    const file = join(work, "handles.json"),
      native = join(work, "posed_native.glb"),
      own = join(work, "posed.glb");
    writeFileSync(
      file,
      JSON.stringify({
        handles: [
          { joint: "foot_L", constraint: "hold" },
          { joint: "hand_R", constraint: "position", offsets: keys.map((key: any) => [key.time, key.offsets[1]]) },
        ],
      }),
    );
    expect(handles[1].joint).toBe("hand_R");
    writeFileSync(own, posed);
    pelt("pose", biped(), "--handles", file, "-o", native);
    const clip = JSON.parse(pelt("info", native, "--json")).clips.at(-1).name;
    expect(apart(deform(native, "--clip", clip), deform(own, "--clip", clip))).toBeLessThan(1e-4);
  });

  test("a joint is pulled with the pointer", async () => {
    await session.tab("Pose");
    await session.set({ handles: [], keys: [] });
    const { page } = session,
      box = (await page.locator(".stage > canvas").first().boundingBox())!;
    const before = await session.positions();
    const at = (await page.evaluate("studio.jointPlaces()")) as { name: string; x: number; y: number }[];
    const hand = at.find(({ name }) => name === "hand_L")!;
    await page.mouse.move(box.x + hand.x, box.y + hand.y);
    await page.mouse.down();
    await page.mouse.move(box.x + hand.x + 30, box.y + hand.y - 60, { steps: 6 });
    await page.mouse.up();
    await session.set({});
    expect((await session.state()).handles).toMatchObject([{ joint: "hand_L", pinned: false }]);
    expect(apart(before, await session.positions())).toBeGreaterThan(0.01);
  });
});

describe("handles", () => {
  type Place = { name: string; x: number; y: number };
  let canvas: { x: number; y: number };
  const at = async (joint: string): Promise<Place> => {
    const places = (await session.page.evaluate("studio.jointPlaces()")) as Place[];
    const found = places.find(({ name }) => name === joint)!;
    return { ...found, x: canvas.x + found.x, y: canvas.y + found.y };
  };
  /** Presses at a place, moves, lets go, and waits until the body has come to rest. */
  async function pull(from: { x: number; y: number }, dx: number, dy: number): Promise<void> {
    const { mouse } = session.page;
    await mouse.move(from.x, from.y);
    await mouse.down();
    await mouse.move(from.x + dx, from.y + dy, { steps: 6 });
    await mouse.up();
    await session.set({});
  }
  const centerOf = (positions: Float32Array, vertices: number[]) =>
    [0, 1, 2].map((c) => vertices.reduce((sum, v) => sum + positions[3 * v + c], 0) / vertices.length);
  const fresh = () => session.set({ handles: [], keys: [] });

  beforeAll(async () => {
    await session.load(biped(), "biped.glb");
    await session.tab("Pose");
    canvas = (await session.page.locator(".stage > canvas").first().boundingBox())!;
  });

  test.each([
    ["Point", undefined, 1],
    ["Region", undefined, 2],
    ["Joint", "Shift", 1],
    ["Joint", "Control", 2],
  ] as const)("the tool %s with the key %s takes hold of the skin", async (tool, key, least) => {
    await fresh();
    const { page } = session;
    await page.getByRole("radiogroup", { name: "A click takes" }).getByText(tool).click();
    const before = await session.positions();
    if (key) await page.keyboard.down(key);
    await pull(await at("shin_L"), 40, 0);
    if (key) await page.keyboard.up(key);
    const { handles } = await session.state();
    expect(handles.length).toBe(1);
    const { vertices, offset } = handles[0];
    expect(vertices.length).toBeGreaterThanOrEqual(least);
    if (least === 1) expect(vertices.length).toBe(1);
    expect(Math.hypot(...(offset as number[]))).toBeGreaterThan(0.02);
    // The skin is where it was pulled to.
    const [a, b] = [centerOf(before, vertices), centerOf(await session.positions(), vertices)];
    expect(Math.hypot(...a.map((from, c) => b[c] - from - offset[c]))).toBeLessThan(0.05 * Math.hypot(...offset));
    await page.getByRole("radiogroup", { name: "A click takes" }).getByText("Joint").click();
  });

  test("a handle that is there is pulled again, not added a second time", async () => {
    await fresh();
    await pull(await at("hand_R"), 20, -20);
    const first = (await session.state()).handles[0].offset;
    await pull(await at("hand_R"), 0, -30);
    const { handles } = await session.state();
    expect(handles.length).toBe(1);
    expect(handles[0].offset[1]).toBeGreaterThan(first[1] + 0.01);
  });

  test("a pull goes along the axis that is chosen or held", async () => {
    const { page } = session;
    for (const [axis, c] of [
      ["X", 0],
      ["Y", 1],
      ["Z", 2],
    ] as const) {
      await fresh();
      await page.getByRole("radiogroup", { name: "A pull goes" }).getByText(axis, { exact: true }).click();
      await pull(await at("hand_L"), 30, -30);
      const { offset } = (await session.state()).handles[0];
      expect(Math.abs(offset[c])).toBeGreaterThan(0.01);
      for (const other of [0, 1, 2]) if (other !== c) expect(offset[other]).toBe(0);
    }
    await page.getByRole("radiogroup", { name: "A pull goes" }).getByText("Free").click();
    await fresh();
    await page.locator("body").focus();
    const { x, y } = await at("hand_L");
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.keyboard.down("y");
    await page.mouse.move(x + 30, y - 30, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up("y");
    const { offset } = (await session.state()).handles[0];
    expect([offset[0], offset[2]]).toEqual([0, 0]);
    expect(offset[1]).toBeGreaterThan(0.01);
  });

  test("handles are pinned, removed, and all of it undone by a key", async () => {
    const { page } = session;
    await fresh();
    await pull(await at("hand_L"), 10, -30);
    const pulled = (await session.state()).handles;
    await page.getByRole("button", { name: "Pin hand_L" }).click();
    expect((await session.state()).handles[0].pinned).toBe(true);
    await page.getByRole("button", { name: "Remove hand_L" }).click();
    expect((await session.state()).handles).toEqual([]);
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+z");
    expect((await session.state()).handles).toEqual(pulled);
    await page.keyboard.press("Control+y");
    expect((await session.state()).handles[0].pinned).toBe(true);
  });

  test("keys are shown, gone to and deleted", async () => {
    const { page } = session;
    await fresh();
    await page.getByLabel("Joint to hold").selectOption("hand_L");
    await page.getByRole("button", { name: "Pull", exact: true }).click();
    await page.getByRole("button", { name: "Key this pose (K)" }).click();
    await session.set({ time: 1 });
    await page.getByLabel("hand_L, offset along y").fill("0.2");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Key this pose (K)" }).click();
    expect((await session.state()).keys.map((key: any) => key.time)).toEqual([0, 1]);
    await session.set({ time: 0.5 });
    expect(await page.getByLabel("hand_L, offset along y").inputValue()).toBe("0.1");
    await page.getByRole("button", { name: "Key at 1.00 s" }).click();
    expect((await session.state()).time).toBe(1);
    await page.getByRole("button", { name: "Delete key" }).click();
    expect((await session.state()).keys.length).toBe(1);
  });

  test("nothing was written to the console", () => {
    expect(session.messages).toEqual([]);
  });
});
