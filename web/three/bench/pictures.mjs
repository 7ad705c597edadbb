// The pictures of docs/three.md: node bench/pictures.mjs. Left `pelt render`, then three.js.
import { join } from "node:path";
import { pelt, root } from "../../tools/program.mjs";
import { open } from "./open.mjs";

const poses = [
  {
    name: "three_twist",
    clip: "range_of_motion",
    time: 10.5,
    camera: [25, 10],
    options: ["--lambda", "50", "--alpha", "0"],
    other: "lbs",
  },
  { name: "three_scale", clip: "stretch", time: 1, camera: [20, 8], options: [], other: "ddm-v0" },
];
pelt("sample", "bar", "--resolution", "6000", "-o", "bar.glb");
for (const { name, clip, time, camera, options } of poses) {
  pelt("mush", "bar.glb", ...options, "-o", `${name}.glb`);
  pelt(
    "render",
    `${name}.glb`,
    "--method",
    "ddm",
    "--clip",
    clip,
    "--frame",
    String(time),
    "--camera",
    camera.join(","),
    "--size",
    "420x560",
    "-o",
    `${name}.png`,
  );
}
pelt("sample", "biped", "-o", "biped.glb");
pelt("mush", "biped.glb", "-o", "mushed.glb");

const { page, close } = await open("/three/bench/pictures.html", { viewport: { width: 1280, height: 620 } });
await page.waitForFunction("window.sideBySide !== undefined");
const images = join(root, "docs/images");
for (const pose of poses) {
  await page.evaluate(`sideBySide(${JSON.stringify(pose)})`);
  await page.locator("#sheet").screenshot({ path: join(images, `${pose.name}.png`) });
}
await page.evaluate(`crowd()`);
await page.locator("#sheet").screenshot({ path: join(images, "three_biped.png") });
await close();
