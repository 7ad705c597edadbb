// Plays an FBX file in three's FBXLoader: node three.mjs IN.fbx OUT.json CLIP SECONDS…
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const three = pathToFileURL(require.resolve("three")).href.replace(/\/build\/.*/, "");
const THREE = await import(`${three}/build/three.module.js`);
const { FBXLoader } = await import(`${three}/examples/jsm/loaders/FBXLoader.js`);
globalThis.document ??= { createElementNS: () => ({ addEventListener() {}, removeEventListener() {} }) };
globalThis.window ??= globalThis;

const [source, target, clip, ...times] = process.argv.slice(2);
const bytes = readFileSync(source);
const scene = new FBXLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), "");
const mixer = new THREE.AnimationMixer(scene),
  played = scene.animations.find(({ name }) => name === clip);
if (played) mixer.clipAction(played).setLoop(THREE.LoopOnce).play().clampWhenFinished = true;
const point = new THREE.Vector3();
const frames = times.map((time) => {
  if (played) mixer.setTime(Number(time));
  scene.updateMatrixWorld(true);
  const all = [];
  scene.traverse((mesh) => {
    if (!mesh.isMesh) return;
    for (let v = 0; v < mesh.geometry.attributes.position.count; ++v) {
      mesh.getVertexPosition(v, point).applyMatrix4(mesh.matrixWorld);
      all.push(point.x / 100, point.y / 100, point.z / 100);
    }
  });
  return all;
});
writeFileSync(target, JSON.stringify(frames));
