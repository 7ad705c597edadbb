// Views that are compared share one camera, whichever of them a person takes hold of.
import { beforeAll, describe, expect, test } from "vitest";
import { type Area, Camera, cut, differing, panesOf, pictureOf, stageOf } from "./pixels.js";
import { biped, openStudio } from "./support.js";

const session = openStudio(() => [biped()], { pictures: true });
beforeAll(async () => {
  await session.tab("Compare");
  await session.set({ clip: "walk", time: 0.5 });
  // Views of equal size have equal pictures: the stage can be parted in 2, 3 and 4.
  const window = { width: 920, height: 560 };
  await session.page.setViewportSize(window);
  const { width, height } = await stageOf(session);
  await session.page.setViewportSize({ width: window.width - (width % 6), height: window.height - (height % 2) });
  await session.page.waitForFunction(`(() => {
    const canvas = document.querySelector(".stage > canvas");
    return canvas.width === ${width - (width % 6)} && canvas.height === ${height - (height % 2)};
  })()`);
});

/** The same method in every view. */
async function views(count: number): Promise<Area[]> {
  await session.set({ layout: "views", methods: Array(count).fill("lbs") });
  await session.page.locator("body").press("f");
  return panesOf(count, await stageOf(session));
}

const middle = async ({ x, y, width, height }: Area) => {
  const stage = await stageOf(session);
  return { x: stage.x + x + width / 2, y: stage.y + y + height / 2 };
};

async function pull(area: Area, right: number, down: number, button: "left" | "right"): Promise<void> {
  const { mouse } = session.page,
    { x, y } = await middle(area);
  await mouse.move(x, y);
  await mouse.down({ button });
  await mouse.move(x + right, y + down, { steps: 4 });
  await mouse.up({ button });
}

async function turnWheel(area: Area, right: number, notches: number): Promise<void> {
  const { x, y } = await middle(area);
  await session.page.mouse.move(x + right, y);
  for (let i = 0; i < notches; ++i) await session.page.mouse.wheel(0, -120);
}

describe("cameras", () => {
  for (const count of [2, 3, 4])
    test(`${count} views turn, move and zoom together`, async () => {
      const panes = await views(count);
      let before = await pictureOf(session);
      const gestures: [string, () => Promise<void>][] = [
        ["orbit", () => pull(panes.at(-1)!, 70, 20, "left")],
        ["pan", () => pull(panes[0], -30, 25, "right")],
        ["zoom", () => turnWheel(panes[1], 15, 3)],
      ];
      for (const [name, gesture] of gestures) {
        await gesture();
        const after = await pictureOf(session);
        const shown = panes.map((area) => cut(after, area));
        expect(differing(cut(before, panes[0]), shown[0]), `${name} changes the picture`).toBeGreaterThan(0.02);
        for (const other of shown.slice(1))
          expect(differing(shown[0], other), `${name} in all views`).toBeLessThan(0.002);
        before = after;
      }
    });

  test("what the pointer holds stays under it, in every view", async () => {
    for (const count of [2, 4]) {
      for (const area of await views(count)) {
        const { camera: start } = await session.state();
        const [x, y] = new Camera(start, area).project(start.target);
        await pull(area, 40, -24, "right");
        const moved = new Camera((await session.state()).camera, area).project(start.target);
        expect(Math.hypot(moved[0] - x - 40, moved[1] - y + 24)).toBeLessThan(1.5);
      }
    }
  });

  test("the wheel zooms to the pointer, in every view", async () => {
    for (const count of [2, 4])
      for (const area of await views(count)) {
        await session.page.locator("body").press("f");
        const { camera: start } = await session.state();
        await turnWheel(area, 20, 4);
        const { camera } = await session.state();
        const away = ({ position, target }: any) =>
          Math.hypot(...position.map((p: number, c: number) => p - target[c]));
        expect(away(camera)).toBeLessThan(0.9 * away(start));
        // The point under the pointer, in the plane of what was looked at.
        const before = new Camera(start, area),
          under = before.placeAt(area.x + area.width / 2 + 20, area.y + area.height / 2);
        const [x, y] = new Camera(camera, area).project(under);
        expect(Math.hypot(x - area.x - area.width / 2 - 20, y - area.y - area.height / 2)).toBeLessThan(1.5);
      }
  });

  test("the divider parts one picture, and is dragged", async () => {
    const { page } = session,
      stage = await stageOf(session);
    /** One method on both sides. */
    const whole = async (method: string) => {
      await session.set({ methods: [method, method] });
      return pictureOf(session);
    };
    await views(2);
    await session.set({ clip: "range_of_motion", time: 2.93 });
    await page.getByLabel("Method of view 2", { exact: true }).selectOption("dqs");
    await page.getByText("Divider", { exact: true }).click();
    await session.set({});
    const knob = (await page.getByRole("slider", { name: "Divider" }).boundingBox())!;
    await page.mouse.move(knob.x + knob.width / 2, knob.y + knob.height / 2);
    await page.mouse.down();
    await page.mouse.move(stage.x + 0.46 * stage.width, knob.y + 60, { steps: 3 });
    await page.mouse.up();
    expect((await session.state()).divider).toBeCloseTo(0.46, 2);
    for (const [at, button] of [
      [0.2, "left"],
      [0.8, "right"],
    ] as const)
      await pull({ ...stage, x: at * stage.width, y: 0, width: 1 }, 30, 10, button);
    const both = await pictureOf(session),
      first = await whole("lbs"),
      second = await whole("dqs");
    const cutAt = Math.round(0.46 * stage.width) - 2,
      left = { x: 0, y: 0, width: cutAt, height: stage.height },
      right = { x: cutAt + 4, y: 0, width: stage.width - cutAt - 4, height: stage.height };
    expect(differing(cut(first, right), cut(second, right))).toBeGreaterThan(0.002);
    expect(differing(cut(first, left), cut(both, left))).toBeLessThan(0.002);
    expect(differing(cut(second, right), cut(both, right))).toBeLessThan(0.002);
  });

  test("nothing was written to the console", () => {
    expect(session.messages).toEqual([]);
  });
});
