// The free pose, through the controls a person uses, on a mesh without joints and on a character. The commands that the
// page shows are run: they give what the page shows.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { apart, bar, biped, made, openStudio, pelt, program, readNpy, work } from "./support.js";

const session = openStudio();
const mesh = () => made("bar_alone.obj", (out) => pelt("deform", bar(), "--bind-pose", "-o", out));

type Point = { x: number; y: number };
const tool = (group: string, name: string) =>
  session.page.getByRole("radiogroup", { name: group }).getByText(name, { exact: true }).click();

/** Presses at a place, moves, lets go, and waits until the shape has come to rest. */
async function drag(from: Point, dx: number, dy: number): Promise<void> {
  const { mouse } = session.page;
  await mouse.move(from.x, from.y);
  await mouse.down();
  await mouse.move(from.x + dx, from.y + dy, { steps: 4 });
  await mouse.up();
  await session.set({});
}

/** What the command gives that the page shows, with the handles file that it saves. */
async function shownCommand(file: string): Promise<Float32Array> {
  const { page } = session,
    command = (await page.locator(".command code").first().textContent())!,
    folder = mkdtempSync(join(work, "free-"));
  expect(command).toMatch(/^pelt pose .* --free /);
  copyFileSync(file, join(folder, basename(file)));
  writeFileSync(join(folder, "handles.json"), await session.download("Handles file"));
  execFileSync("sh", ["-c", command.replace(/^pelt/, `'${program}'`)], { cwd: folder, stdio: "ignore" });
  return readNpy(join(folder, /-o (\S+)/.exec(command)![1]));
}

describe("a mesh without joints", () => {
  let canvas: Point, rest: Float32Array;
  const places = async (): Promise<Point[]> =>
    ((await session.page.evaluate("studio.handlePlaces()")) as Point[]).map(({ x, y }) => ({
      x: canvas.x + x,
      y: canvas.y + y,
    }));
  /** A vertex at one end of the bar. */
  const end = (side: 1 | -1, axis: number): number => {
    let best = 0;
    for (let v = 0; v < rest.length / 3; ++v) if (side * rest[3 * v + axis] > side * rest[3 * best + axis]) best = v;
    return best;
  };
  let axis = 0;

  beforeAll(async () => {
    await session.drop(mesh());
    await session.page.waitForFunction("studio.state().file === 'bar_alone.obj'");
    await session.set({});
    canvas = (await session.page.locator(".stage > canvas").first().boundingBox())!;
    rest = await session.positions();
    const size = [0, 1, 2].map((c) => {
      let [least, most] = [Infinity, -Infinity];
      for (let i = c; i < rest.length; i += 3) [least, most] = [Math.min(least, rest[i]), Math.max(most, rest[i])];
      return most - least;
    });
    axis = size.indexOf(Math.max(...size));
  });

  test("is opened from an .obj, ready to be posed", async () => {
    expect(await session.state()).toMatchObject({ file: "bar_alone.obj", activity: "pose", handles: [] });
    const native = join(work, "bar_alone.npy");
    pelt("deform", bar(), "--bind-pose", "-o", native);
    expect(apart(readNpy(native), rest)).toBeLessThan(1e-6);
  });

  test("follows points as pelt pose --free does, with extra freedom and by volume", async () => {
    const offset = [0, 0, 0];
    offset[(axis + 1) % 3] = 0.4;
    const handles = [
      { vertices: [end(-1, axis)], pinned: true, offset: [0, 0, 0] },
      { vertices: [end(1, axis)], pinned: false, offset },
    ];
    for (const options of [
      { energy: "spokes-and-rims", extraWeights: 6 },
      { energy: "tets", extraWeights: 0 },
    ]) {
      await session.set({ handles, keys: [], ...options });
      const shown = await session.positions();
      expect(apart(rest, shown)).toBeGreaterThan(0.05);
      expect(apart(await shownCommand(mesh()), shown)).toBeLessThan(5e-3);
    }
    expect(Number(await session.page.getByLabel("Energy", { exact: true }).innerText())).toBeGreaterThan(0);
  });

  test("is keyed, and every frame is that of the command", async () => {
    const [held, moved] = (await session.state()).handles;
    await session.set({ energy: "spokes-and-rims", time: 0, handles: [held, { ...moved, offset: [0, 0, 0] }] });
    await session.page.getByRole("button", { name: "Key this pose (K)" }).click();
    await session.set({ time: 0.1 });
    await session.set({ handles: [held, moved] });
    await session.page.getByRole("button", { name: "Key this pose (K)" }).click();
    await session.set({ time: 0.1 });
    const frames = await shownCommand(mesh());
    expect(frames.length).toBe(4 * rest.length);
    expect(apart(frames.subarray(3 * rest.length), await session.positions())).toBeLessThan(5e-3);
  });

  test("handles are placed by click, segment, lasso and brush; turned, scaled, named, mirrored, moved at rest", async () => {
    const { page } = session;
    await session.set({ handles: [], keys: [], time: 0 });
    const middle = { x: canvas.x, y: canvas.y };
    const box = (await page.locator(".stage > canvas").first().boundingBox())!;
    Object.assign(middle, { x: box.x + box.width / 2 + 18, y: box.y + box.height / 2 });
    await tool("A click takes", "Point");
    await drag(middle, 0, 0);
    await tool("A click takes", "Lasso");
    const { mouse } = page;
    await mouse.move(box.x + 5, box.y + 5);
    await mouse.down();
    for (const [x, y] of [
      [box.width - 5, 5],
      [box.width - 5, box.height - 5],
      [5, box.height - 5],
    ])
      await mouse.move(box.x + x, box.y + y);
    await mouse.up();
    await session.set({});
    let { handles } = await session.state();
    expect(handles.map(({ vertices }: any) => vertices.length)).toEqual([1, rest.length / 3]);
    await page.getByRole("button", { name: /^Remove region/ }).click();

    await page.getByLabel(/^Name of point/).fill("left middle");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Mirror left middle" }).click();
    await session.set({});
    ({ handles } = await session.state());
    expect(handles.map(({ name }: any) => name)).toEqual(["left middle", "right middle"]);

    await page.getByLabel("What is given of left middle").selectOption("full");
    await page.getByLabel("left middle, degrees about z").fill("30");
    await page.keyboard.press("Enter");
    await tool("A drag does", "Scale");
    await drag((await places())[0], 40, 0);
    await tool("A drag does", "Move");
    ({ handles } = await session.state());
    expect(handles[0]).toMatchObject({ rotation: [0, 0, 30] });
    expect(handles[0].scale).toBeGreaterThan(1.2);
    const turnedPose = await session.positions();
    expect(apart(await shownCommand(mesh()), turnedPose)).toBeLessThan(5e-3);

    await page.getByLabel("Move handles on the shape at rest").check();
    await session.set({});
    expect(apart(rest, await session.positions())).toBeLessThan(1e-6);
    const before = handles[0].vertices[0];
    await drag((await places())[0], -25, 40);
    expect((await session.state()).handles[0].vertices[0]).not.toBe(before);
    await page.keyboard.press("Control+z");
    expect((await session.state()).handles[0].vertices[0]).toBe(before);
    await page.getByLabel("Move handles on the shape at rest").uncheck();

    await session.set({ handles: [] });
    await tool("A click takes", "Segment");
    await drag(middle, 25, 0);
    await tool("A click takes", "Brush");
    await drag({ x: middle.x - 20, y: middle.y }, 8, 0);
    ({ handles } = await session.state());
    expect(handles[0].segment.length).toBe(2);
    expect(handles[1].vertices.length).toBeGreaterThan(1);
    await tool("A click takes", "Point");
  });

  test("a reload brings handles, keys and energies back", async () => {
    const offset = [0, 0.1, 0];
    await session.set({
      handles: [{ vertices: [end(-1, axis)], pinned: true, name: "foot", offset: [0, 0, 0] }],
      keys: [{ time: 0, offsets: [offset] }],
      energy: "tets",
      extraWeights: 3,
    });
    const before = await session.state();
    await session.page.reload();
    await session.page.waitForFunction("window.studio !== undefined");
    await session.shown();
    const after = await session.state();
    for (const key of ["file", "activity", "handles", "keys", "energy", "extraWeights"])
      expect(after[key]).toEqual(before[key]);
  });
});

test("a character has a free pose too, and the ghost of the full minimum", async () => {
  const { page } = session;
  await session.load(biped(), "biped.glb");
  await session.tab("Pose");
  await page.getByText("Free", { exact: true }).first().click();
  const handles = [
    { joint: "foot_L", pinned: true, offset: [0, 0, 0] },
    { joint: "foot_R", pinned: true, offset: [0, 0, 0] },
    { joint: "hand_L", pinned: false, offset: [-0.2, 0.5, 0.2] },
  ];
  await session.set({ handles, keys: [], extraWeights: 0, energy: "spokes-and-rims" });
  const shown = await session.positions();
  expect(apart(await shownCommand(biped()), shown)).toBeLessThan(5e-3);
  await page.getByRole("radiogroup", { name: "Manner of posing" }).getByText("Bones keep their length").click();
  await session.set({});
  expect(apart(shown, await session.positions())).toBeGreaterThan(5e-3);
});

test("nothing was written to the console", () => {
  expect(session.messages).toEqual([]);
});
