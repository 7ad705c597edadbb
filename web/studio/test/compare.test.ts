// Through the controls a person uses, checked against the native program: methods side by side, and how far they are
// apart in numbers, as a plot, as colors and as outlines.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { readObj } from "../src/file/sequences.js";
import { type Area, Camera, draw, panesOf, pictureOf, stageOf } from "./pixels.js";
import { apart, bar, biped, deform, made, openStudio, pelt, readNpy } from "./support.js";

const session = openStudio(() => [biped()], { pictures: true });
beforeAll(async () => {
  await session.tab("Compare");
});

/** The vertices of a method over the clip, as the program computes them. */
const frames = (method: string) =>
  made(`walk_${method}.npy`, (out) => pelt("deform", biped(), "-o", out, "--clip", "walk", "--method", method));
const compared = (a: string, b: string) => JSON.parse(pelt("compare", frames(a), frames(b), "--json"));
const triangles = () =>
  readObj(
    readFileSync(
      made("biped_rest.obj", (out) => pelt("deform", biped(), "--bind-pose", "-o", out)),
      "utf8",
    ),
  ).triangles;

/** Chooses methods in the panel and waits until their errors are measured. */
async function choose(...methods: string[]): Promise<void> {
  const { page } = session;
  const shown = async () => (await session.state()).methods.length;
  while ((await shown()) > methods.length)
    await page.getByRole("button", { name: `Remove view ${await shown()}` }).click();
  for (const [i, method] of methods.entries()) {
    if ((await shown()) <= i) await page.getByRole("button", { name: "Add a view" }).click();
    await page.getByLabel(`Method of view ${i + 1}`, { exact: true }).selectOption(method);
  }
  expect((await session.state()).methods).toEqual(methods);
  await page.waitForFunction("studio.curves() !== null");
}

/** The frame of the clip that is shown, in the program's vertices. */
async function shownFrame(method: string): Promise<Float32Array> {
  const { time, range } = await session.state(),
    index = Math.round(30 * (time - range[0])),
    all = readNpy(frames(method)),
    count = Math.round(30 * (range[1] - range[0])) + 1,
    size = all.length / count;
  return all.subarray(index * size, (index + 1) * size);
}

/** A number in the page has three digits. */
const expectShown = (text: string | undefined, wanted: number) => expect(Number(text) / wanted).toBeCloseTo(1, 2);

describe("errors", () => {
  test("of the plot are those of the program, for every view", async () => {
    await choose("ddm", "dqs", "lbs");
    const { times, curves }: any = await session.page.evaluate("studio.curves()");
    for (const [i, method] of ["dqs", "lbs"].entries()) {
      const report = compared("ddm", method);
      expect(times.length).toBe(report.frames.length);
      report.frames.forEach((frame: any, f: number) => {
        expect(curves[i].rms[f]).toBeCloseTo(frame.rms, 6);
        expect(curves[i].max[f]).toBeCloseTo(frame.max, 6);
      });
    }
    expect(await session.page.locator(".plot .legend").innerText()).toMatch(/Dual quaternions[\s\S]*Linear blend/);
  });

  test("of the moment that is shown stand in the table and in the views", async () => {
    await session.set({ time: 0.5 });
    const { page } = session;
    for (const [i, method] of ["dqs", "lbs"].entries()) {
      const report = compared("ddm", method),
        row = page.locator(".numbers tbody tr").nth(i);
      const [rms, max, largest] = await row.locator("td").allInnerTexts();
      expectShown(rms, report.frames[15].rms);
      expectShown(max, report.frames[15].max);
      expectShown(largest, report.max);
      const shown = await page
        .locator(".label .stat")
        .nth(i + 1)
        .innerText();
      expect(shown).toBe(`RMS ${rms} · max ${max}`);
    }
  });

  test("are largest at the worst moments, which a click shows", async () => {
    const { page } = session,
      reports = ["dqs", "lbs"].map((method) => compared("ddm", method));
    const largest: [number, number][] = reports[0].frames.map((_: unknown, f: number) => [
      f / 30,
      Math.max(...reports.map((report) => report.frames[f].max)),
    ]);
    const buttons = page.locator(".moments button"),
      count = await buttons.count();
    expect(count).toBeGreaterThan(1);
    const taken: number[] = [];
    for (let i = 0; i < count; ++i) {
      await buttons.nth(i).click();
      const { time, range, playing } = await session.state(),
        seconds = time - range[0];
      expect(playing).toBe(false);
      // The largest of all moments that are not near one that was listed before.
      const left = largest.filter(([at]) => taken.every((other) => Math.abs(other - at) > 1 / 3 + 1e-6)),
        [at, error] = left.reduce((best, moment) => (moment[1] > best[1] ? moment : best));
      expect(seconds).toBeCloseTo(at, 5);
      const [moment, number] = (await buttons.nth(i).innerText()).split(/\s*s\s*/);
      expect(Number(moment)).toBeCloseTo(at, 2);
      expectShown(number, error);
      taken.push(seconds);
    }
  });

  test("are looked at by a click on the plot, whose cursor follows the time", async () => {
    const { page } = session;
    const cursorAt = async () => {
      const [box, cursor] = await Promise.all(
        [".plot .u-over", ".plot-cursor"].map((part) => page.locator(part).boundingBox()),
      );
      return (cursor!.x - box!.x) / box!.width;
    };
    const { clip, time: before } = await session.state();
    await session.set({ clip: "range_of_motion", time: 4 });
    await page.waitForFunction("studio.curves() !== null");
    expect(await cursorAt()).toBeCloseTo(4 / (await session.state()).range[1], 2);
    await session.set({ clip, time: before });
    await page.waitForFunction("studio.curves() !== null");
    const box = (await page.locator(".plot .u-over").boundingBox())!;
    await page.mouse.click(box.x + box.width / 4, box.y + box.height / 2);
    const { time, range, playing } = await session.state();
    expect((time - range[0]) / (range[1] - range[0])).toBeCloseTo(0.25, 2);
    expect(playing).toBe(false);
    for (const share of [0.25, 0.8]) {
      if (share !== 0.25) await session.set({ time: range[0] + share * (range[1] - range[0]) });
      expect(await cursorAt()).toBeCloseTo(share, 2);
    }
  });
});

describe("views", () => {
  test("of four methods show four methods", async () => {
    await choose("ddm", "dqs", "lbs", "cor");
    await session.set({ time: 0.5 });
    for (const [view, method] of (await session.state()).methods.entries()) {
      const wanted = deform(biped(), "--method", method, "--clip", "walk", "--frames", "15:16");
      expect(apart(wanted, await session.positions(view))).toBeLessThan(4e-6);
    }
  });
});

type Rgb = [number, number, number];
const linear = (rgb: ArrayLike<number>) => [0, 1, 2].map((c) => (rgb[c] / 255) ** 2.2) as Rgb;
/** A color without its brightness, which depends on the light. */
const tint = (rgb: Rgb) => rgb.map((c) => c / (rgb[0] + rgb[1] + rgb[2])) as Rgb;

/** The colors of the scale in the panel, as a function of the share of its end. */
async function legend(): Promise<(share: number) => Rgb> {
  const style = (await session.page.getByRole("img", { name: "Scale of errors" }).getAttribute("style"))!;
  const stops = [...style.matchAll(/rgb\((\d+) (\d+) (\d+)\)/g)].map((match) => match.slice(1).map(Number) as Rgb);
  expect(stops.length).toBeGreaterThan(2);
  return (share) => {
    const at = Math.min(Math.max(share, 0), 1) * (stops.length - 1),
      k = Math.min(Math.floor(at), stops.length - 2);
    return linear(stops[k].map((c, i) => c + (at - k) * (stops[k + 1][i] - c)));
  };
}

/** How far the tints of a view are from those that the program's distances have on the scale, pixel by pixel. */
async function offScale(area: Area, top: number): Promise<{ off: number[]; shares: number[] }> {
  const { camera } = await session.state(),
    color = await legend(),
    first = await shownFrame("ddm"),
    second = await shownFrame("lbs"),
    faces = triangles(),
    picture = await pictureOf(session);
  const colors = Array.from({ length: first.length / 3 }, (_, v) => {
    const away = Math.hypot(...[0, 1, 2].map((c) => second[3 * v + c] - first[3 * v + c]));
    return { share: away / top, rgb: color(away / top) };
  });
  const { triangle, corners } = draw(second, faces, new Camera(camera, area), area),
    off: number[] = [],
    shares: number[] = [];
  for (let y = 1; y + 1 < area.height; ++y)
    for (let x = 1; x + 1 < area.width; ++x) {
      const i = y * area.width + x;
      // Pixels at an edge are mixed with what is behind it.
      if ([i, i - 1, i + 1, i - area.width, i + area.width].some((near) => triangle[near] < 0)) continue;
      const three = [0, 1, 2].map((k) => colors[faces[3 * triangle[i] + k]]);
      const mixed = [0, 1, 2].map((c) => three.reduce((sum, { rgb }, k) => sum + corners[3 * i + k] * rgb[c], 0));
      const at = 4 * ((area.y + y) * picture.width + area.x + x);
      const [wanted, seen] = [tint(mixed as Rgb), tint(linear(picture.data.subarray(at, at + 3)))];
      off.push(Math.hypot(...wanted.map((w, c) => w - seen[c])));
      shares.push(three.reduce((sum, { share }, k) => sum + corners[3 * i + k] * share, 0));
    }
  return { off, shares };
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1];

describe("colors", () => {
  test("are the distances that the program gives, on the scale that is shown in the file's units", async () => {
    const { page } = session;
    await choose("ddm", "lbs");
    await page.getByText("Error as colors").click();
    await page.locator(".moments button").first().click();
    await page.locator("body").press("f");
    await session.set({ skeleton: false });
    const { max } = compared("ddm", "lbs"),
      ends = await page.locator(".scale-ends span").allInnerTexts();
    expect(ends[0]).toBe("0");
    expectShown(ends[1], max / 2);
    expectShown(ends[2], max);
    const [, area] = panesOf(2, await stageOf(session)).map((one) => ({ ...one, x: Math.round(one.x) }));
    for (const top of [max, max / 4]) {
      if (top !== max) {
        await page.getByLabel("Largest error of the scale").fill(String(top));
        await page.keyboard.press("Enter");
        await session.set({});
        expectShown((await page.locator(".scale-ends span").allInnerTexts())[2], top);
      }
      const right = await offScale(area, top),
        wrong = await offScale(area, 3 * top);
      const colored = (list: number[]) => list.filter((_, i) => right.shares[i] > 0.15);
      expect(right.off.length).toBeGreaterThan(3000);
      expect(colored(right.off).length).toBeGreaterThan(50);
      expect(median(right.off)).toBeLessThan(0.03);
      expect(median(colored(right.off))).toBeLessThan(0.06);
      expect(median(colored(wrong.off))).toBeGreaterThan(0.12);
    }
    await page.getByLabel("Largest error of the scale").fill("");
    await page.keyboard.press("Enter");
    await page.getByText("Error as colors").click();
  });
});

describe("outlines", () => {
  test("differ by the share that the program's vertices give, each in its color", async () => {
    const { page } = session;
    await choose("ddm", "lbs");
    await page.locator(".moments button").first().click();
    await page.getByText("Outlines", { exact: true }).click();
    await page.locator("body").press("f");
    await session.set({ skeleton: false });
    const picture = await pictureOf(session),
      stage = { ...(await stageOf(session)), x: 0, y: 0 },
      camera = new Camera((await session.state()).camera, stage),
      faces = triangles();
    const [a, b] = await Promise.all(
      ["ddm", "lbs"].map(async (method) => draw(await shownFrame(method), faces, camera, stage).triangle),
    );
    let either = 0,
      one = 0,
      wrong = 0;
    const expected: Record<string, Rgb> = { both: [139, 143, 150], first: [63, 143, 210], second: [240, 138, 75] };
    for (let i = 0; i < a.length; ++i) {
      const [first, second] = [a[i] >= 0, b[i] >= 0];
      if (!first && !second) continue;
      ++either;
      if (first !== second) ++one;
      const wanted = expected[first && second ? "both" : first ? "first" : "second"];
      const seen = (pixel: number) => wanted.every((value, c) => Math.abs(value - picture.data[4 * pixel + c]) <= 24);
      // A pixel at an edge may be on its other side by rounding.
      const around = [-1, 0, 1].flatMap((y) => [-1, 0, 1].map((x) => i + y * stage.width + x));
      if (!around.some(seen)) ++wrong;
    }
    const share = Number(/([\d.]+) % of the outline differs/.exec(await page.locator(".outline-note").innerText())![1]);
    expect(one / either).toBeGreaterThan(0.002);
    expect(share / ((100 * one) / either)).toBeCloseTo(1, 1);
    expect(wrong / either).toBeLessThan(0.005); // seams of a pixel between parts
    await page.getByText("Views", { exact: true }).click();
  });

  test("another file is opened while methods are compared", async () => {
    await choose("ddm", "lbs");
    await session.load(bar(), "bar.glb");
    const { file, vertices, methods } = await session.state();
    expect(file).toBe("bar.glb");
    expect(methods).toEqual(["ddm", "lbs"]);
    for (const view of [0, 1]) expect((await session.positions(view)).length).toBe(3 * vertices);
    await session.page.waitForFunction("studio.curves() !== null");
  });

  test("nothing was written to the console", () => {
    expect(session.messages).toEqual([]);
  });
});
