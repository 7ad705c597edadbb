// The brush through the pointer, and its maps as `pelt mush` reads them.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { apart, biped, deform, expectValid, openStudio, work } from "./support.js";

let rest: Float32Array;
const session = openStudio(() => [biped()]);
beforeAll(async () => {
  rest = deform(biped(), "--bind-pose");
  await session.tab("Tune");
  await session.set({ clip: null, lambda: 5 });
});

type MapName = "lambda" | "kappa" | "alpha";
const symbols = { lambda: "λ", kappa: "κ", alpha: "α" };

const map = async (name: MapName): Promise<Float32Array> => {
  const bytes = await session.bytes(`new Uint8Array(studio.state().maps.${name}?.buffer ?? new ArrayBuffer(0))`);
  return new Float32Array(bytes.buffer);
};

async function brush(name: MapName, mode: string, mirror = false): Promise<void> {
  const { page } = session;
  await page.getByText(symbols[name], { exact: true }).click();
  await page.getByLabel("Brush", { exact: true }).selectOption(mode);
  await page.getByLabel("Mirror across x").setChecked(mirror);
}

/** A stroke upwards from where a joint is shown. */
async function stroke(joint: string, touches = 5): Promise<void> {
  const { page } = session,
    box = (await page.locator(".stage > canvas").first().boundingBox())!;
  const places = (await page.evaluate("studio.jointPlaces()")) as { name: string; x: number; y: number }[];
  const { x, y } = places.find(({ name }) => name === joint)!;
  await page.mouse.move(box.x + x, box.y + y);
  await page.mouse.down();
  for (let i = 1; i <= touches; ++i) await page.mouse.move(box.x + x, box.y + y - 3 * i);
  await page.mouse.up();
  await session.set({});
}

const sum = (values: Float32Array) => values.reduce((a, b) => a + b, 0);
/** How far a map is from one that changes nothing. */
const strength = (values: Float32Array) => values.reduce((a, v) => a + (v - 1) ** 2, 0);

describe("brush", () => {
  test("add raises, reduce lowers, and a person undoes each stroke", async () => {
    await brush("lambda", "add");
    await stroke("shin_L");
    const added = await map("lambda");
    expect(added.length).toBe(rest.length / 3);
    expect(Math.max(...added)).toBeGreaterThan(1.2);
    expect(Math.min(...added)).toBe(1);
    expect(Math.max(...added)).toBeLessThanOrEqual(2);
    await brush("lambda", "reduce");
    await stroke("shin_L");
    expect(sum(await map("lambda"))).toBeLessThan(sum(added));
    await session.page.keyboard.press("Control+z");
    expect(await map("lambda")).toEqual(added);
    await session.page.keyboard.press("Control+z");
    expect((await map("lambda")).length).toBe(0);
    await session.page.keyboard.press("Control+y");
    expect(await map("lambda")).toEqual(added);
  });

  test("smooth evens out, erase goes back to 1", async () => {
    const before = strength(await map("lambda"));
    await brush("lambda", "smooth");
    await stroke("shin_L");
    const smooth = strength(await map("lambda"));
    expect(smooth).toBeLessThan(before);
    await brush("lambda", "erase");
    await stroke("shin_L", 12);
    expect(strength(await map("lambda"))).toBeLessThan(0.3 * smooth);
  });

  test("a mirrored stroke paints the other side alike", async () => {
    await brush("kappa", "reduce", true);
    await stroke("forearm_L");
    const painted = await map("kappa");
    let left = 0,
      right = 0;
    for (let v = 0; v < painted.length; ++v)
      if (rest[3 * v] > 0) left += 1 - painted[v];
      else right += 1 - painted[v];
    expect(left).toBeGreaterThan(0.5);
    expect(right).toBeCloseTo(left, 1);
  });

  test("all three maps are saved with the file, and pelt reads them", async () => {
    await brush("alpha", "reduce");
    await stroke("hand_L");
    await session.page.getByRole("button", { name: "Clear map" }).click();
    expect((await map("alpha")).length).toBe(0);
    await stroke("chest");
    await brush("lambda", "reduce");
    await stroke("chest");
    const painted = join(work, "three_maps.glb");
    writeFileSync(painted, await session.download("Download with maps"));
    await expectValid(new Uint8Array(readFileSync(painted)));
    await session.page.getByText("Off", { exact: true }).click();
    await session.set({ clip: "walk", time: 0.5, alpha: 0.6 });
    const own = ["--lambda", "5", "--alpha", "0.6", "--clip", "walk", "--frames", "15:16", "--method", "ddm"];
    const maps = ["--lambda-map", "_LAMBDA", "--kappa-map", "_KAPPA", "--alpha-map", "_ALPHA"];
    const native = deform(painted, ...own, ...maps);
    expect(apart(native, await session.positions())).toBeLessThan(4e-6);
    expect(apart(native, deform(biped(), ...own))).toBeGreaterThan(1e-5);
    for (const name of ["--lambda-map", "--kappa-map", "--alpha-map"]) {
      const without = maps.filter((_, i) => maps[i - (i % 2)] !== name);
      expect(apart(native, deform(painted, ...own, ...without)), name).toBeGreaterThan(1e-6);
    }
  });

  test("a painted file opens with its maps, which the command names", async () => {
    const painted = await map("lambda");
    await session.drop(join(work, "three_maps.glb"));
    await session.page.waitForFunction("studio.state().file === 'three_maps.glb'");
    expect(await map("lambda")).toEqual(painted);
    await session.tab("Make");
    const command = await session.page.locator(".command code").first().innerText();
    for (const name of ["lambda", "kappa", "alpha"]) expect(command).toContain(`--${name}-map _${name.toUpperCase()}`);
  });

  test("nothing was written to the console", () => {
    expect(session.messages).toEqual([]);
  });
});
