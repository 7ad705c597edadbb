// Makes the pictures of docs/studio.md from the running page: node scripts/pictures.mjs [FOLDER]
import { join, resolve } from "node:path";
import { hasShared, root, shared } from "../../tools/program.mjs";
import { choose, openPage, sample } from "./page.mjs";

const out = resolve(process.argv[2] ?? join(root, "docs/images"));
const { page, close } = await openPage([sample("biped", "biped.glb", "--skin", "smooth")]);

async function take(name, activity, settings, more = async () => {}) {
  await page.evaluate(`studio.set(${JSON.stringify({ activity, theme: "dark", playing: false, ...settings })})`);
  await more();
  await page.waitForTimeout(1200);
  await page.evaluate("studio.set({})");
  await page.screenshot({ path: join(out, `studio_${name}.png`) });
}

const pose = [
  { joint: "foot_L", pinned: true, offset: [0, 0, 0] },
  { joint: "foot_R", pinned: true, offset: [0, 0, 0] },
  { joint: "pelvis", pinned: false, offset: [0, -0.12, 0.02] },
  { joint: "hand_L", pinned: false, offset: [-0.05, 0.5, 0.3] },
];
/** Of a cow: its hooves stay, its head and tail are pulled. */
async function cowHandles() {
  const near = (x, y, z) =>
    page.evaluate(
      (place) => {
        const all = window.studio.positions(),
          apart = (v) => Math.hypot(...place.map((at, c) => all[3 * v + c] - at));
        return [...Array(all.length / 3).keys()].reduce((best, v) => (apart(v) < apart(best) ? v : best), 0);
      },
      [x, y, z],
    );
  const hooves = [
    [0.2, -0.73, -0.3],
    [-0.2, -0.73, -0.3],
    [0.2, -0.73, 0.5],
    [-0.2, -0.73, 0.5],
  ];
  const held = hooves.map(async (place) => ({ vertices: [await near(...place)], pinned: true, offset: [0, 0, 0] }));
  const head = { vertices: [await near(0, 0.6, -0.55)], name: "head", pinned: false, offset: [0.35, 0.25, 0] };
  return [...(await Promise.all(held)), head];
}

/** The cow's back is in front. */
async function turnAround() {
  const { mouse } = page;
  await mouse.move(60, 620);
  await mouse.down();
  await mouse.move(330, 620, { steps: 4 });
  await mouse.up();
}

await take(
  "look",
  "look",
  {
    methods: ["ddm"],
    clip: "range_of_motion",
    time: 2.93,
    skeleton: true,
    shading: "weights",
  },
  async () => {
    await page.locator("body").press("f");
    await page.evaluate('studio.set({ joint: "upper_arm_L" })');
  },
);
await take(
  "compare",
  "compare",
  { methods: ["ddm", "lbs"], shading: "clay", skeleton: false, joint: null, heat: true, clip: "range_of_motion" },
  async () => {
    await page.waitForFunction("studio.curves() !== null", null, { timeout: 60000 });
    await page.locator(".moments button").first().click();
    await page.evaluate("studio.set({})");
    await page.locator("body").press("f");
  },
);
await take("tune", "tune", {
  methods: ["ddm"],
  heat: false,
  clip: "range_of_motion",
  time: 2.93,
  kappa: 20,
  alpha: 0.7,
  shading: "materials",
});
await take("pose", "pose", { methods: ["ddm"], handles: pose, kappa: null, alpha: null });
await take("make", "make", { handles: [], clip: "walk", time: 0.5 }, async () => {
  await page.getByRole("button", { name: "Mush", exact: true }).click();
  await page.locator("strong", { hasText: "mushed" }).waitFor();
});
if (hasShared) {
  await choose(page, join(shared, "fast/spot.obj"));
  await page.waitForFunction("studio.state().file === 'spot.obj'");
  await take("free", "pose", { handles: await cowHandles(), extraWeights: 10 }, turnAround);
}
await close();
