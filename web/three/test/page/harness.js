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
  THREE, pelt, clone, state, meshesOf,

  async start(kind, size = 64) {
    if (kind === "webgpu") {
      const { WebGPURenderer } = await import("three/webgpu");
      state.renderer = new WebGPURenderer({ antialias: false });
      await state.renderer.init();
      if (!state.renderer.backend.isWebGPUBackend) throw new Error("no WebGPU");
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
      name: mesh.name, pelt: mesh instanceof pelt.PeltSkinnedMesh, skinned: !!mesh.isSkinnedMesh,
      vertices: mesh.geometry.attributes.position.count,
    }));
  },

  pose(clip, time) {
    state.mixer.stopAllAction();
    const found = typeof clip === "number" ? state.gltf.animations[clip] : THREE.AnimationClip.findByName(state.gltf.animations, clip);
    const action = state.mixer.clipAction(found);
    action.setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    state.mixer.setTime(time);
  },

  async read(what, root = state.gltf.scene) {
    const parts = [];
    for (const mesh of meshesOf(root)) if (mesh.isSkinnedMesh || !harness.skinnedOnly)
      parts.push(await pelt[`read${what}`](state.renderer, mesh));
    return harness.base64(parts);
  },

  skinnedOnly: true,

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
