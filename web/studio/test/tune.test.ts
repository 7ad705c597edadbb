// Through the controls a person uses, checked against the native program.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { apart, biped, deform, expectValid, openStudio, pelt, work } from "./support.js";

const session = openStudio(() => [biped()]);

describe("tune", () => {
  test("sliders and choices give what the program gives with the same options", async () => {
    await session.tab("Tune");
    const { page } = session;
    await page.getByLabel("κ translations, as a number").fill("40");
    await page.keyboard.press("Enter");
    await page.getByLabel("α follow bones, as a number").fill("0.8");
    await page.keyboard.press("Enter");
    await page.getByLabel("Bind").selectOption("keep");
    await session.set({ clip: "walk", time: 0.5 });
    expect(await session.state()).toMatchObject({ kappa: 40, alpha: 0.8, bind: "keep" });
    const options = [
      "--method",
      "ddm",
      "--kappa",
      "40",
      "--alpha",
      "0.8",
      "--bind",
      "keep",
      "--clip",
      "walk",
      "--frames",
      "15:16",
    ];
    expect(apart(deform(biped(), ...options), await session.positions())).toBeLessThan(4e-6);
  });

  test("alpha of a joint, and undo back to the beginning", async () => {
    const { page } = session;
    await page.getByLabel("Joint with an alpha of its own").selectOption("upper_arm_L");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await session.set({});
    const own = ["--kappa", "40", "--alpha", "0.8", "--bind", "keep", "--joint-alpha", "upper_arm_L=0.2"];
    const tuned = deform(biped(), "--method", "ddm", ...own, "--clip", "walk", "--frames", "15:16");
    expect(apart(tuned, await session.positions())).toBeLessThan(4e-6);
    for (let i = 0; i < 40 && (await session.state()).kappa !== null; ++i) await page.keyboard.press("Control+z");
    expect(await session.state()).toMatchObject({ kappa: null, alpha: null, bind: null, jointAlpha: {} });
  });

  test("a stroke of the brush becomes an attribute that pelt mush reads", async () => {
    const { page } = session;
    await session.set({ clip: null, time: 0, lambda: 5 });
    await page.getByText("λ", { exact: true }).click();
    await page.getByLabel("Brush", { exact: true }).selectOption("reduce");
    const box = (await page.locator(".stage > canvas").first().boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    for (let i = 1; i <= 6; ++i) await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2 - 8 * i);
    await page.mouse.up();
    await session.set({});
    const painted = join(work, "painted.glb");
    writeFileSync(painted, await session.download("Download with maps"));
    await expectValid(new Uint8Array(readFileSync(painted)));
    await page.getByText("Off", { exact: true }).click();
    await session.set({ clip: "walk", time: 0.5 });
    const with_map = deform(
      painted,
      "--method",
      "ddm",
      "--lambda",
      "5",
      "--lambda-map",
      "_LAMBDA",
      "--clip",
      "walk",
      "--frames",
      "15:16",
    );
    const without = deform(biped(), "--method", "ddm", "--lambda", "5", "--clip", "walk", "--frames", "15:16");
    expect(apart(with_map, await session.positions())).toBeLessThan(4e-6);
    expect(apart(with_map, without)).toBeGreaterThan(1e-5);
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+z");
    expect(Object.keys((await session.state()).maps)).toEqual([]);
    await session.set({ lambda: null });
  });
});
