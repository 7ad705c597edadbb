// Every step a person takes is undone by Ctrl-Z and done again by Ctrl-Y, 100 deep.
import { beforeAll, expect, test } from "vitest";
import { biped, openStudio } from "./support.js";

const session = openStudio(() => [biped()]);
beforeAll(async () => {
  await session.set({ clip: "walk", time: 0 });
});

const press = (key: string) => session.page.locator("body").press(key);

/** What undo brings back: everything but where one is and what plays. */
async function settings(): Promise<Record<string, unknown>> {
  const { activity, time, playing, camera, theme, divider, canUndo, canRedo, range, ...others } = await session.state();
  return { ...others, maps: Object.keys(others.maps) };
}

test("each kind of step", async () => {
  const { page } = session;
  const tab = (name: string) => session.tab(name);
  const fill = async (label: string, value: string) => {
    await page.getByLabel(label).fill(value);
    await page.keyboard.press("Enter");
  };
  const steps: [string, string, () => Promise<unknown>][] = [
    ["Look", "wireframe", () => page.getByLabel("Wireframe").check()],
    ["Look", "skeleton", () => page.getByLabel("Skeleton").check()],
    ["Look", "names", () => page.getByLabel("Joint names").check()],
    ["Look", "shading", () => page.getByText("Clay", { exact: true }).click()],
    ["Look", "a part", () => page.getByLabel("body").uncheck()],
    ["Look", "a joint", () => page.getByRole("option", { name: "chest", exact: true }).click()],
    ["Look", "the method", () => press("2")],
    ["Look", "the clip", () => page.getByLabel("Clip", { exact: true }).selectOption("range_of_motion")],
    ["Compare", "a view", () => page.getByRole("button", { name: "Add a view" }).click()],
    ["Compare", "a view's method", () => page.getByLabel("Method of view 2", { exact: true }).selectOption("cor")],
    ["Compare", "a removed view", () => page.getByRole("button", { name: "Remove view 2" }).click()],
    ["Compare", "the layout", () => page.getByText("Divider", { exact: true }).click()],
    ["Compare", "colors", () => press("h")],
    ["Compare", "the scale", () => fill("Largest error of the scale", "0.5")],
    ["Tune", "lambda", () => fill("λ rotations, as a number", "12")],
    ["Tune", "kappa", () => fill("κ translations, as a number", "9")],
    ["Tune", "alpha", () => fill("α follow bones, as a number", "0.4")],
    ["Tune", "steps", () => fill("Steps, as a number", "4")],
    ["Tune", "auto", () => page.getByRole("button", { name: "Steps: auto" }).click()],
    ["Tune", "bind", () => page.getByLabel("Bind").selectOption("keep")],
    ["Tune", "laplacian", () => page.getByLabel("Laplacian").selectOption("uniform")],
    ["Tune", "alpha of a joint", () => page.getByRole("button", { name: "Add", exact: true }).click()],
    ["Pose", "a handle", () => page.getByRole("button", { name: "Pull", exact: true }).click()],
    ["Pose", "a pull", () => fill("pelvis, offset along z", "0.1")],
    ["Pose", "a key", () => press("k")],
    ["Pose", "a pin", () => page.getByRole("button", { name: "Pin pelvis" }).click()],
  ];
  for (const [where, what, take] of steps) {
    await tab(where);
    const before = await settings();
    await take();
    const after = await settings();
    expect(after, what).not.toEqual(before);
    await press("Control+z");
    expect(await settings(), `${what} undone`).toEqual(before);
    await press("Control+y");
    expect(await settings(), `${what} done again`).toEqual(after);
  }
});

test("the button says that there is nothing to do again", async () => {
  expect(await session.page.getByRole("button", { name: "Redo (Ctrl+Y)" }).isDisabled()).toBe(true);
});
