import {
  BufferGeometry,
  type Camera,
  FloatType,
  type IUniform,
  type Mesh,
  NearestFilter,
  NoBlending,
  type Object3D,
  OrthographicCamera,
  Points,
  RGBAFormat,
  Scene,
  ShaderMaterial,
  type SkinnedMesh,
  type WebGLRenderer,
  WebGLRenderTarget,
} from "three";
import { injectSkinning } from "./materials.js";
import { PeltSkinnedMesh } from "./mesh.js";
import { loadNodes } from "./nodes.js";

type What = "position" | "normal" | "tangent";

/** What both renderers of three.js have. */
export interface Renderer {
  isWebGLRenderer?: boolean;
  isWebGPURenderer?: boolean;
  isRenderer?: boolean;
  render(scene: Object3D, camera: Camera): unknown;
}

/** Where the GPU puts the vertices, in world space: x, y, z of each, as `pelt deform` writes them. */
export function readPositions(renderer: Renderer, mesh: Mesh): Promise<Float32Array> {
  return read(renderer, mesh, "position");
}

/** The unit normals that the GPU lights the vertices with, in world space. */
export function readNormals(renderer: Renderer, mesh: Mesh): Promise<Float32Array> {
  return read(renderer, mesh, "normal");
}

/** The unit tangents (without their handedness), in world space. */
export function readTangents(renderer: Renderer, mesh: Mesh): Promise<Float32Array> {
  return read(renderer, mesh, "tangent");
}

const width = 1024;

async function read(renderer: Renderer, mesh: Mesh, what: What): Promise<Float32Array> {
  let top: Object3D = mesh;
  while (top.parent) top = top.parent;
  top.updateMatrixWorld(true);
  const count = mesh.geometry.attributes.position.count;
  const target = new WebGLRenderTarget(width, Math.max(1, Math.ceil(count / width)), {
    type: FloatType,
    format: RGBAFormat,
    minFilter: NearestFilter,
    magFilter: NearestFilter,
    depthBuffer: false,
  });
  try {
    const texels = renderer.isWebGLRenderer
      ? drawWebGL(renderer as unknown as WebGLRenderer, mesh, what, target)
      : await (await loadNodes()).drawNodes(renderer, mesh, what, target);
    const out = new Float32Array(3 * count);
    for (let v = 0; v < count; ++v) for (let i = 0; i < 3; ++i) out[3 * v + i] = texels[4 * v + i];
    return out;
  } finally {
    target.dispose();
  }
}

/** An object that is drawn as one point a vertex and is skinned and morphed as the mesh is. */
export function pointsOf(mesh: Mesh): Points {
  const points = new Points(pointGeometry(mesh.geometry));
  points.frustumCulled = false;
  points.matrixAutoUpdate = points.matrixWorldAutoUpdate = false;
  points.matrixWorld.copy(mesh.matrixWorld);
  points.morphTargetInfluences = mesh.morphTargetInfluences;
  points.morphTargetDictionary = mesh.morphTargetDictionary;
  const { isSkinnedMesh, skeleton, bindMatrix, bindMatrixInverse } = mesh as SkinnedMesh;
  if (isSkinnedMesh) Object.assign(points, { isSkinnedMesh, skeleton, bindMatrix, bindMatrixInverse });
  return points;
}

const geometries = new WeakMap<BufferGeometry, BufferGeometry>();

/** Without an index: every vertex once. It shares the attributes, so it is freed with the mesh's own geometry. */
function pointGeometry(source: BufferGeometry): BufferGeometry {
  let geometry = geometries.get(source);
  if (!geometry) {
    geometry = new BufferGeometry();
    geometries.set(source, geometry);
    const made = geometry;
    source.addEventListener("dispose", () => made.dispose());
  }
  geometry.attributes = source.attributes;
  geometry.morphAttributes = source.morphAttributes;
  geometry.morphTargetsRelative = source.morphTargetsRelative;
  return geometry;
}

const camera = new OrthographicCamera();

const vertexShader = /* glsl */ `
#include <common>
#include <morphtarget_pars_vertex>
#include <skinning_pars_vertex>
uniform vec2 size;
uniform int what;
flat out vec4 result;
void main() {
  #include <morphinstance_vertex>
  vec3 objectNormal = normal;
  #ifdef USE_TANGENT
    vec3 objectTangent = tangent.xyz;
  #else
    vec3 objectTangent = vec3(1.0, 0.0, 0.0);
  #endif
  #include <morphnormal_vertex>
  #include <skinbase_vertex>
  #include <skinnormal_vertex>
  #include <begin_vertex>
  #include <morphtarget_vertex>
  #include <skinning_vertex>
  if (what == 0) result = modelMatrix * vec4(transformed, 1.0);
  else if (what == 1) result = vec4(normalize(transpose(inverse(mat3(modelMatrix))) * objectNormal), 0.0);
  else result = vec4(normalize(mat3(modelMatrix) * objectTangent), 0.0);
  vec2 at = vec2(float(gl_VertexID % int(size.x)), float(gl_VertexID / int(size.x)));
  gl_Position = vec4((at + 0.5) / size * 2.0 - 1.0, 0.0, 1.0);
  gl_PointSize = 1.0;
}`;

const fragmentShader = /* glsl */ `
flat in vec4 result;
void main() { gl_FragColor = result; }`;

interface Kept {
  plain: ShaderMaterial;
  pelt: ShaderMaterial;
}
/** Kept for the next call: compiling costs more than drawing. */
const kept = new WeakMap<WebGLRenderer, Map<boolean, Kept>>();

function materialFor(renderer: WebGLRenderer, mesh: Mesh): ShaderMaterial {
  const tangents = mesh.geometry.attributes.tangent !== undefined;
  const isPelt = mesh instanceof PeltSkinnedMesh;
  const pairs = kept.get(renderer) ?? new Map<boolean, Kept>();
  kept.set(renderer, pairs);
  if (!pairs.has(tangents))
    pairs.set(tangents, { plain: makeMaterial(tangents, false), pelt: makeMaterial(tangents, true) });
  const material = pairs.get(tangents)![isPelt ? "pelt" : "plain"];
  if (isPelt) material.uniforms.peltRows.value = mesh.skeleton.skin.rows.texture;
  return material;
}

function makeMaterial(tangents: boolean, isPelt: boolean): ShaderMaterial {
  const shader = {
    vertexShader,
    uniforms: { size: { value: [1, 1] }, what: { value: 0 } } as Record<string, IUniform>,
  };
  if (isPelt) injectSkinning(shader, null);
  return new ShaderMaterial({
    ...shader,
    fragmentShader,
    blending: NoBlending,
    depthTest: false,
    depthWrite: false,
    toneMapped: false,
    defines: tangents ? { USE_TANGENT: "" } : {},
  });
}

function drawWebGL(renderer: WebGLRenderer, mesh: Mesh, what: What, target: WebGLRenderTarget): Float32Array {
  const material = materialFor(renderer, mesh);
  material.uniforms.size.value = [target.width, target.height];
  material.uniforms.what.value = ["position", "normal", "tangent"].indexOf(what);
  material.uniformsNeedUpdate = true;
  const points = pointsOf(mesh),
    scene = new Scene();
  points.material = material;
  scene.add(points);
  scene.matrixWorldAutoUpdate = false;
  const before = renderer.getRenderTarget(),
    { autoClear, shadowMap } = renderer,
    shadows = shadowMap.autoUpdate;
  renderer.autoClear = true;
  shadowMap.autoUpdate = false;
  renderer.setRenderTarget(target);
  renderer.render(scene, camera);
  const texels = new Float32Array(4 * target.width * target.height);
  renderer.readRenderTargetPixels(target, 0, 0, target.width, target.height, texels);
  renderer.setRenderTarget(before);
  renderer.autoClear = autoClear;
  shadowMap.autoUpdate = shadows;
  return texels;
}
