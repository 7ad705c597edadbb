// Through the controls a person uses, checked against the native program.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apart, biped, deform, expectValid, pelt, Session, work } from "./support.js";

let session: Session;
beforeAll(async () => {
  session = await Session.open(biped());
});
afterAll(async () => {
  await session?.close();
});

const npy = (name: string, ...options: string[]) => {
  const out = join(work, name);
  pelt("deform", biped(), "-o", out, "--clip", "walk", ...options);
  return out;
};

describe("compare", () => {
  test("values of the plot and worst moments are those of the program", async () => {
    await session.tab("Compare");
    await session.page.getByLabel("Method of view 2", { exact: true }).selectOption("dqs");
    await session.page.waitForFunction("studio.curves() !== null && studio.state().methods[1] === 'dqs'");
    const curves: any = await session.page.evaluate("studio.curves()");
    const report = JSON.parse(
      pelt("compare", npy("ddm.npy", "--method", "ddm"), npy("dqs.npy", "--method", "dqs"), "--json"),
    );
    expect(curves.times.length).toBe(report.frames.length);
    report.frames.forEach((frame: any, i: number) => {
      expect(curves.curves[0].rms[i]).toBeCloseTo(frame.rms, 6);
      expect(curves.curves[0].max[i]).toBeCloseTo(frame.max, 6);
    });
    await session.page.locator(".moments button").first().click();
    const shown = (await session.state()).time,
      frame = curves.times.findIndex((time: number) => Math.abs(time - shown) < 1e-6);
    expect(report.frames[frame].max).toBeCloseTo(Math.max(...report.frames.map((one: any) => one.max)), 6);
  });

  test("a click on the plot goes there", async () => {
    const box = (await session.page.locator(".plot .u-over").boundingBox())!;
    await session.page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    const { time, range, playing } = await session.state();
    expect(time).toBeCloseTo((range[0] + range[1]) / 2, 1);
    expect(playing).toBe(false);
  });

  test("four views show four methods", async () => {
    await session.page.getByRole("button", { name: "Add a view" }).click();
    await session.page.getByRole("button", { name: "Add a view" }).click();
    await session.set({ time: 0.5 });
    const { methods } = await session.state();
    expect(methods.length).toBe(4);
    for (const [view, method] of methods.entries())
      expect(
        apart(
          deform(biped(), "--method", method, "--clip", "walk", "--frames", "15:16"),
          await session.positions(view),
        ),
      ).toBeLessThan(4e-6);
  });

  test("divider, outlines and colors of errors change the picture", async () => {
    await session.set({ methods: ["ddm", "lbs"] });
    const pictures = [await session.bytes("studio.picture()")];
    await session.page.getByText("Error as colors").click();
    pictures.push(await session.bytes("studio.picture()"));
    for (const layout of ["Divider", "Outlines"]) {
      await session.page.getByText(layout, { exact: true }).click();
      pictures.push(await session.bytes("studio.picture()"));
    }
    expect(new Set(pictures.map((bytes) => Buffer.from(bytes).toString("base64"))).size).toBe(4);
    await session.page.getByText(/% of the outline differs/).waitFor();
    await session.set({ layout: "divider" });
    await session.page.getByRole("slider", { name: "Divider" }).press("ArrowRight");
    expect((await session.state()).divider).toBeCloseTo(0.52);
    await session.set({ layout: "views", heat: false, methods: ["ddm"] });
  });
});

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
