// What the tests call in the page: one renderer, one loaded file at a time.
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { MeshoptDecoder } from "three/addons/libs/meshopt_decoder.module.js";
import { clone } from "three/addons/utils/SkeletonUtils.js";
import * as pelt from "@pelt/three";

const state = { renderer: null, scene: null, gltf: null, plugin: null, mixer: null };

export function meshesOf(root) {
  const found = [];
  root.traverse((object) => object.isMesh && found.push(object));
  return found;
}

const harness = {
  THREE,
  pelt,
  clone,
  state,
  meshesOf,

  async start(kind, size = 64) {
    if (kind !== "webgl") {
      const { WebGPURenderer } = await import("three/webgpu");
      state.renderer = new WebGPURenderer({ antialias: false, forceWebGL: kind === "nodes-webgl" });
      await state.renderer.init();
      if (kind === "webgpu" && !state.renderer.backend.isWebGPUBackend) throw new Error("no WebGPU");
    } else {
      state.renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    }
    state.renderer.setSize(size, size);
    document.body.append(state.renderer.domElement);
  },

  async load(url) {
    const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder);
    loader.register((parser) => (state.plugin = new pelt.PeltPlugin(parser)));
    state.gltf = await loader.loadAsync(url);
    state.scene = new THREE.Scene();
    state.scene.add(state.gltf.scene);
    state.mixer = new THREE.AnimationMixer(state.gltf.scene);
    return meshesOf(state.gltf.scene).map((mesh) => ({
      name: mesh.name,
      pelt: mesh instanceof pelt.PeltSkinnedMesh,
      skinned: !!mesh.isSkinnedMesh,
      vertices: mesh.geometry.attributes.position.count,
    }));
  },

  pose(clip, time) {
    state.mixer.stopAllAction();
    const found =
      typeof clip === "number"
        ? state.gltf.animations[clip]
        : THREE.AnimationClip.findByName(state.gltf.animations, clip);
    const action = state.mixer.clipAction(found);
    action.setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    state.mixer.setTime(time + Math.min(...found.tracks.map((track) => track.times[0]))); // from the first key on
  },

  async read(what, root = state.gltf.scene) {
    const parts = [];
    for (const mesh of meshesOf(root))
      if (mesh.isSkinnedMesh || !harness.skinnedOnly) parts.push(await pelt[`read${what}`](state.renderer, mesh));
    return harness.base64(parts);
  },

  skinnedOnly: true,

  /** Takes the keys of driven joints out of the clips: they must follow without. */
  dropDrivenKeys() {
    let dropped = 0;
    const driven = new Set();
    state.gltf.scene.traverse(
      (object) => object instanceof pelt.DrivenBone && driven.add(object.name).add(object.uuid),
    );
    for (const clip of state.gltf.animations) {
      const kept = clip.tracks.filter((track) => !driven.has(track.name.split(".")[0]));
      dropped += clip.tracks.length - kept.length;
      clip.tracks = kept;
    }
    return dropped;
  },

  /** Sets nodes by hand, as no clip does. */
  turn(pose) {
    for (const [name, { rotation, scale }] of Object.entries(pose)) {
      const node = state.gltf.scene.getObjectByName(name);
      node.quaternion.fromArray(rotation);
      if (scale) node.scale.fromArray(scale);
    }
  },

  blend(list) {
    state.mixer.stopAllAction();
    for (const [name, weight, time] of list) {
      const action = state.mixer.clipAction(THREE.AnimationClip.findByName(state.gltf.animations, name));
      action.setEffectiveWeight(weight).play();
      action.time = time;
    }
    state.mixer.update(0);
  },

  cloneAt(clip, time) {
    const copy = clone(state.gltf.scene),
      mixer = new THREE.AnimationMixer(copy);
    const found =
      typeof clip === "number"
        ? state.gltf.animations[clip]
        : THREE.AnimationClip.findByName(state.gltf.animations, clip);
    mixer.clipAction(found).play();
    mixer.setTime(time);
    new THREE.Scene().add(copy);
    return copy;
  },

  /** World positions by getVertexPosition. */
  onProcessor() {
    state.scene.updateMatrixWorld(true);
    const at = new THREE.Vector3();
    return harness.base64(
      meshesOf(state.gltf.scene).map((mesh) => {
        const out = new Float32Array(3 * mesh.geometry.attributes.position.count);
        for (let v = 0; v < out.length / 3; ++v)
          mesh
            .getVertexPosition(v, at)
            .applyMatrix4(mesh.matrixWorld)
            .toArray(out, 3 * v);
        return out;
      }),
    );
  },

  /** Rays at the middle of triangles of what the GPU computed, from just outside. */
  async rays(count) {
    const mesh = meshesOf(state.gltf.scene)[0],
      index = mesh.geometry.index;
    const points = await pelt.readPositions(state.renderer, mesh);
    const [a, b, c, middle, normal, away] = Array.from({ length: 6 }, () => new THREE.Vector3());
    const raycaster = new THREE.Raycaster(),
      triangle = new THREE.Triangle(a, b, c);
    let hits = 0,
      largest = 0,
      lbs = 0;
    for (let i = 0; i < count; ++i) {
      const t = 3 * Math.floor((((i + 0.5) / count) * index.count) / 3);
      [a, b, c].forEach((corner, k) => corner.fromArray(points, 3 * index.getX(t + k)));
      triangle.getMidpoint(middle);
      triangle.getNormal(normal);
      raycaster.set(away.copy(middle).addScaledVector(normal, 1e-3), normal.negate().clone());
      const [hit] = raycaster.intersectObject(mesh);
      if (hit) (++hits, (largest = Math.max(largest, hit.point.distanceTo(middle))));
    }
    mesh.computeBoundingBox();
    const own = new THREE.Box3().setFromArray(points),
      found = mesh.boundingBox.clone().applyMatrix4(mesh.matrixWorld);
    const box = Math.max(own.min.distanceTo(found.min), own.max.distanceTo(found.max));
    state.plugin.method = "lbs";
    const plain = await pelt.readPositions(state.renderer, mesh);
    state.plugin.method = "ddm";
    for (let i = 0; i < points.length; ++i) lbs = Math.max(lbs, Math.abs(plain[i] - points[i]));
    return { hits, largest, box, lbs };
  },

  /** The part for WebGPU is loaded after its first frame. */
  async pixels(scene, camera, frames = state.renderer.isWebGLRenderer ? 1 : 3) {
    const { renderer } = state,
      target = new THREE.RenderTarget(256, 256, { depthBuffer: true });
    const gl = renderer.isWebGLRenderer ? new THREE.WebGLRenderTarget(256, 256) : target;
    renderer.setClearColor(0xffffff, 1);
    for (let i = 0; i < frames; ++i) {
      if (i > 0) await new Promise((done) => setTimeout(done, 30));
      renderer.setRenderTarget(gl);
      renderer.render(scene, camera);
      renderer.setRenderTarget(null);
    }
    const bytes = renderer.isWebGLRenderer ? new Uint8Array(4 * 256 * 256) : null;
    const out = bytes
      ? (renderer.readRenderTargetPixels(gl, 0, 0, 256, 256, bytes), bytes)
      : await renderer.readRenderTargetPixelsAsync(gl, 0, 0, 256, 256);
    gl.dispose();
    return out;
  },

  /** Pixels that differ between a shadow on a wall and the shape itself, seen from the light. */
  async shadow(kind, shadowMethod, shapeMethod) {
    const { renderer, plugin } = state,
      scene = new THREE.Scene(),
      at = new THREE.Vector3(0, 1, 6);
    scene.add(state.gltf.scene);
    const camera =
      kind === "PointLight"
        ? new THREE.PerspectiveCamera(24, 1, 0.1, 20)
        : new THREE.OrthographicCamera(-1.2, 1.2, 1.2, -1.2, 0.1, 20);
    camera.position.copy(at);
    camera.lookAt(0, 1, 0);
    const light = new THREE[kind](0xffffff, kind === "PointLight" ? 300 : 3);
    light.position.copy(at);
    light.castShadow = true;
    light.shadow.mapSize.set(1024, 1024);
    light.shadow.bias = -0.001;
    if (light.target)
      (light.target.position.set(0, 1, 0),
        scene.add(light.target),
        Object.assign(light.shadow.camera, { left: -1.2, right: 1.2, top: 1.2, bottom: -1.2, near: 0.1, far: 20 }));
    const wall = new THREE.Mesh(new THREE.PlaneGeometry(20, 20), new THREE.MeshLambertMaterial());
    wall.position.z = -0.5;
    wall.receiveShadow = true;
    scene.add(wall, light);
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = THREE.BasicShadowMap;
    const mesh = meshesOf(state.gltf.scene)[0],
      { material } = mesh;
    const { skinIndex } = mesh.geometry.attributes;
    skinIndex.array.fill(0); // the plain skin is stiff, so that it cannot be mistaken for the other
    skinIndex.needsUpdate = true;
    mesh.castShadow = true;
    mesh.material = new THREE.MeshBasicMaterial({ colorWrite: false, depthWrite: false });
    plugin.method = shadowMethod;
    const shadow = await harness.pixels(scene, camera);
    mesh.castShadow = false;
    plugin.method = shapeMethod;
    mesh.material = new THREE.MeshBasicMaterial({ color: 0 });
    const shape = await harness.pixels(scene, camera);
    mesh.material = material;
    plugin.method = "ddm";
    let differ = 0,
      pixels = 0;
    for (let i = 0; i < shape.length; i += 4) {
      const isShape = shape[i] < 40;
      if (isShape) ++pixels;
      if (isShape !== shadow[i] < 40) ++differ;
    }
    return { differ, pixels };
  },

  /** Pixels of the shape with another material that are not those of a copy drawn by what was read back. */
  async sameSilhouette(material, frames) {
    const mesh = meshesOf(state.gltf.scene)[0],
      old = mesh.material,
      scene = new THREE.Scene();
    const camera = new THREE.OrthographicCamera(-1.2, 1.2, 1.2, -1.2, 0.1, 20);
    camera.position.set(0, 1, 6);
    material.color.set(0);
    const positions = await pelt.readPositions(state.renderer, mesh);
    const still = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({ color: 0 }));
    still.geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3)).setIndex(mesh.geometry.index);
    scene.add(still);
    const wanted = await harness.pixels(scene, camera);
    scene.remove(still);
    mesh.material = material;
    scene.add(state.gltf.scene);
    const got = await harness.pixels(scene, camera, frames);
    mesh.material = old;
    let differ = 0;
    for (let i = 0; i < got.length; i += 4) if (got[i] < 128 !== wanted[i] < 128) ++differ;
    return differ;
  },

  async loads(url, count) {
    const camera = new THREE.PerspectiveCamera(),
      { renderer } = state,
      textures = () => renderer.info.memory.textures;
    const target = new (renderer.isWebGLRenderer ? THREE.WebGLRenderTarget : THREE.RenderTarget)(64, 64);
    renderer.setRenderTarget(target); // this Chromium's WebGPU without a screen cannot draw to a canvas
    camera.position.set(0, 1, 6);
    await harness.load(url); // stays, so that shaders are compiled once
    renderer.render(state.scene, camera);
    const before = textures();
    for (let i = 0; i < count; ++i) {
      await harness.load(url);
      renderer.render(state.scene, camera);
      if (i === 0 && textures() < before + 2) throw new Error("nothing was loaded");
      harness.dispose();
    }
    const after = textures();
    renderer.setRenderTarget(null);
    target.dispose();
    return { before, textures: after };
  },

  base64(parts) {
    let text = "";
    for (const part of parts) {
      const bytes = new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
      for (let i = 0; i < bytes.length; i += 32768) text += String.fromCharCode(...bytes.subarray(i, i + 32768));
    }
    return btoa(text);
  },

  /** As a careful user does it. */
  dispose() {
    for (const mesh of meshesOf(state.scene)) {
      mesh.geometry.dispose();
      for (const value of Object.values(mesh.material)) if (value?.isTexture) value.dispose();
      mesh.material.dispose();
    }
    state.scene = state.gltf = state.mixer = state.plugin = null;
  },
};
window.harness = harness;
