// Writes the shaders of web/shaders as strings, so that the package needs no bundler plugin: node embed.mjs
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const here = new URL(".", import.meta.url);
const names = { glsl: "../shaders/pelt_skin.glsl", wgsl: "../shaders/pelt_skin.wgsl" };
let text = "// Made by embed.mjs from web/shaders.\n";
for (const [name, path] of Object.entries(names))
  text += `export const ${name}: string = ${JSON.stringify(readFileSync(new URL(path, here), "utf8"))};\n`;
mkdirSync(new URL("src/generated/", here), { recursive: true });
writeFileSync(new URL("src/generated/shaders.ts", here), text);
