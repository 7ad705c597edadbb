// WebGPURenderer: the same textures as for WebGL, and the shaders of web/shaders as they are. This file needs
// "three/webgpu"; it is loaded when a material of Pelt's meets that renderer, or imported by the page.
import type { Material, Mesh, Object3D, SkinnedMesh, WebGLRenderTarget } from "three";
import { NoBlending, OrthographicCamera, Scene, Vector2 } from "three";
import { Node, NodeMaterial, TSL } from "three/webgpu";
import { glsl, wgsl } from "./generated/shaders.js";
import { type Renderer, pointsOf } from "./readback.js";
import { magic, PeltSkeleton } from "./skeleton.js";

// three.js's types for node graphs do not reach this far.
const {
  attribute,
  code,
  Fn,
  glslFn,
  mat3,
  normalGeometry,
  normalLocal,
  OnObjectUpdate,
  positionGeometry,
  positionLocal,
  reference,
  tangentGeometry,
  tangentLocal,
  texture,
  vec4,
  wgslFn,
  morphReference,
  materialReference,
  varying,
  vertexIndex,
  modelWorldMatrix,
  vec2,
  float,
  uniform,
} = TSL as any;

const wgslLibrary = code(wgsl, [], "wgsl"),
  glslLibrary = code(glsl, [], "glsl");

const wgslMatrix = wgslFn(
  /* wgsl */ `
fn peltThreeMatrix(rows: texture_2d<f32>, bones: texture_2d<f32>, row: vec3f, center: vec3f, rest: vec3f,
                   joints: vec4u, weights: vec4f) -> mat4x4f {
  let size = vec2i(textureDimensions(bones));
  let header = textureLoad(bones, size - 1, 0);
  let form = i32(header.x);
  if (row.y == 0.0 || header.y != ${magic}.0 || form > PELT_EDDM) {
    var skin = mat4x4f();
    for (var k = 0; k < 4; k++) {
      let at = 4 * i32(joints[k]);
      let x = at % size.x;
      let y = at / size.x;
      skin += weights[k] * mat4x4f(textureLoad(bones, vec2i(x, y), 0), textureLoad(bones, vec2i(x + 1, y), 0),
                                   textureLoad(bones, vec2i(x + 2, y), 0), textureLoad(bones, vec2i(x + 3, y), 0));
    }
    return skin;
  }
  let space = transpose(mat4x4f(textureLoad(bones, size - vec2i(4, 1), 0), textureLoad(bones, size - vec2i(3, 1), 0),
                                textureLoad(bones, size - vec2i(2, 1), 0), vec4f(0.0, 0.0, 0.0, 1.0)));
  return peltSkin(rows, bones, size.y / 2, form, i32(row.x), i32(row.y), i32(row.z), center,
                  (space * vec4f(rest, 1.0)).xyz) * space;
}`,
  [wgslLibrary],
);

const wgslNormals = wgslFn(
  /* wgsl */ `
fn peltThreeNormals(skin: mat4x4f, bones: texture_2d<f32>, row: vec3f) -> mat3x3f {
  let size = vec2i(textureDimensions(bones));
  let header = textureLoad(bones, size - 1, 0);
  let form = i32(header.x);
  if (row.y == 0.0 || header.y != ${magic}.0 || (form >= PELT_LBS && form != PELT_EDDM)) {
    return peltNormalMatrix(skin, PELT_LBS);
  }
  let space = transpose(mat4x4f(textureLoad(bones, size - vec2i(4, 1), 0), textureLoad(bones, size - vec2i(3, 1), 0),
                                textureLoad(bones, size - vec2i(2, 1), 0), vec4f(0.0, 0.0, 0.0, 1.0)));
  let c = peltNormalMatrix(space, PELT_LBS);  // N^-T up to a positive factor, and so N^-1 transposed
  return peltLinearPart(skin) * transpose(c) * c;
}`,
  [wgslLibrary],
);

const glslMatrix = glslFn(
  /* glsl */ `
mat4 peltThreeMatrix(sampler2D rows, sampler2D bones, vec3 row, vec3 center, vec3 rest, uvec4 joints, vec4 weights) {
  ivec2 size = textureSize(bones, 0);
  vec4 header = texelFetch(bones, size - 1, 0);
  int form = int(header.x);
  if (row.y == 0.0 || header.y != ${magic}.0 || form > PELT_EDDM) {
    mat4 skin = mat4(0.0);
    for (int k = 0; k < 4; ++k) {
      int at = 4 * int(joints[k]), x = at % size.x, y = at / size.x;
      skin += weights[k] * mat4(texelFetch(bones, ivec2(x, y), 0), texelFetch(bones, ivec2(x + 1, y), 0),
                                texelFetch(bones, ivec2(x + 2, y), 0), texelFetch(bones, ivec2(x + 3, y), 0));
    }
    return skin;
  }
  mat4 space = transpose(mat4(texelFetch(bones, size - ivec2(4, 1), 0), texelFetch(bones, size - ivec2(3, 1), 0),
                              texelFetch(bones, size - ivec2(2, 1), 0), vec4(0.0, 0.0, 0.0, 1.0)));
  return peltSkin(rows, bones, size.y / 2, form, int(row.x), int(row.y), int(row.z), center,
                  (space * vec4(rest, 1.0)).xyz) * space;
}`,
  [glslLibrary],
);

const glslNormals = glslFn(
  /* glsl */ `
mat3 peltThreeNormals(mat4 skin, sampler2D bones, vec3 row) {
  ivec2 size = textureSize(bones, 0);
  vec4 header = texelFetch(bones, size - 1, 0);
  int form = int(header.x);
  if (row.y == 0.0 || header.y != ${magic}.0 || (form >= PELT_LBS && form != PELT_EDDM))
    return peltNormalMatrix(skin, PELT_LBS);
  mat4 space = transpose(mat4(texelFetch(bones, size - ivec2(4, 1), 0), texelFetch(bones, size - ivec2(3, 1), 0),
                              texelFetch(bones, size - ivec2(2, 1), 0), vec4(0.0, 0.0, 0.0, 1.0)));
  mat3 c = peltNormalMatrix(space, PELT_LBS);  // N^-T up to a positive factor, and so N^-1 transposed
  return mat3(skin) * transpose(c) * c;
}`,
  [glslLibrary],
);

/** A texture as an argument of a GLSL function; three.js hands over a sampler's name that only WGSL has. */
class SamplerNode extends (Node as any) {
  constructor(readonly textureNode: any) {
    super("sampler2D");
  }
  generate(builder: any): string {
    return this.textureNode.build(builder, "property");
  }
}

/** Skins positionLocal, normalLocal and tangentLocal of a Pelt mesh, in the place of three.js's skinning(). */
function skinned(object: SkinnedMesh, builder: any): void {
  const skeleton = object.skeleton as PeltSkeleton;
  if (skeleton.boneTexture === null) skeleton.computeBoneTexture();
  const rows = texture(skeleton.skin.rows.texture),
    bones = texture(skeleton.boneTexture);
  OnObjectUpdate(({ object: drawn }: { object: SkinnedMesh }) => {
    const own = drawn.skeleton as PeltSkeleton;
    if (own.boneTexture === null) own.computeBoneTexture();
    rows.value = own.skin.rows.texture;
    bones.value = own.boneTexture;
  });
  const isWgsl = builder.renderer.backend.isWebGPUBackend === true;
  const matrixFn = isWgsl ? wgslMatrix : glslMatrix,
    normalsFn = isWgsl ? wgslNormals : glslNormals;
  const argument = (node: any) => (isWgsl ? node : new SamplerNode(node));
  const row = attribute("peltRow", "vec3"),
    bind = reference("bindMatrix", "mat4");
  const toLocal = reference("bindMatrixInverse", "mat4");
  const rest = bind.mul(vec4(positionLocal, 1)).xyz.toVar();
  const matrix = matrixFn(
    argument(rows),
    argument(bones),
    row,
    attribute("peltCenter", "vec3"),
    rest,
    attribute("skinIndex", "uvec4"),
    attribute("skinWeight", "vec4"),
  ).toVar();
  positionLocal.assign(toLocal.mul(matrix.mul(vec4(rest, 1))).xyz);
  if (!builder.hasGeometryAttribute("normal")) return;
  const cofactor = (m: any) => mat3(m[1].cross(m[2]), m[2].cross(m[0]), m[0].cross(m[1]));
  const back = mat3(toLocal).toVar();
  const backCofactor = cofactor([0, 1, 2].map((i) => back.element(i))).toVar();
  const sign = back.element(0).dot(backCofactor.element(0)).sign();
  normalLocal.assign(
    backCofactor.mul(normalsFn(matrix, argument(bones), row).mul(mat3(bind).mul(normalLocal))).mul(sign),
  );
  if (builder.hasGeometryAttribute("tangent"))
    tangentLocal.assign(back.mul(mat3(matrix).mul(mat3(bind).mul(tangentLocal))));
}

/** For `positionNode`: whatever three.js's own skinning made of the vertex is made anew from the rest shape. */
const positionNode = (own: () => any) =>
  Fn((_: unknown, builder: any) => {
    const { object, geometry, material } = builder;
    if (object.skeleton instanceof PeltSkeleton) {
      positionLocal.assign(positionGeometry);
      if (builder.hasGeometryAttribute("normal")) normalLocal.assign(normalGeometry);
      if (builder.hasGeometryAttribute("tangent")) tangentLocal.assign(tangentGeometry.xyz);
      const { position, normal } = geometry.morphAttributes;
      if (position || normal) morphReference(object);
      skinned(object, builder);
      if (material.displacementMap) {
        const height = materialReference("displacementMap", "texture").x.mul(
          materialReference("displacementScale", "float"),
        );
        positionLocal.addAssign(
          normalLocal.normalize().mul(height.add(materialReference("displacementBias", "float"))),
        );
      }
    }
    return own() ?? positionLocal;
  });

const nodes = new WeakMap<Material, any>();

/** The node that skins a material in WebGPURenderer; `own` gives the material's own positionNode, or null. */
export function nodeFor(material: Material, own: () => any): any {
  let node = nodes.get(material);
  if (!node) nodes.set(material, (node = positionNode(own)()));
  return node;
}

const camera = new OrthographicCamera();
const kept = new WeakMap<Renderer, Map<string, any>>();

/** Draws a vertex to the pixel of its number; kept for the next call, as compiling costs more than drawing. */
function materialFor(renderer: Renderer, what: string): any {
  const materials = kept.get(renderer) ?? new Map<string, any>();
  kept.set(renderer, materials);
  let material = materials.get(what);
  if (material) return material;
  material = new NodeMaterial();
  materials.set(what, material);
  material.size = uniform(new Vector2());
  const index = float(vertexIndex),
    y = index.div(material.size.x).floor();
  const at = vec2(index.sub(y.mul(material.size.x)), y)
    .add(0.5)
    .div(material.size);
  const up = (renderer as any).backend.isWebGPUBackend ? at.y.oneMinus() : at.y;
  material.positionNode = positionNode(() => null)();
  material.vertexNode = vec4(at.x.mul(2).sub(1), up.mul(2).sub(1), 0, 1);
  const world = mat3(modelWorldMatrix);
  const value =
    what === "position"
      ? modelWorldMatrix.mul(vec4(positionLocal, 1))
      : what === "normal"
        ? vec4(world.inverse().transpose().mul(normalLocal).normalize(), 0)
        : vec4(world.mul(tangentLocal).normalize(), 0);
  material.fragmentNode = varying(value).setInterpolation("flat");
  material.depthTest = material.depthWrite = material.toneMapped = false;
  material.blending = NoBlending;
  return material;
}

/** readPositions and the others for this renderer. */
export async function drawNodes(renderer: Renderer, mesh: Mesh, what: string, target: WebGLRenderTarget) {
  const gpu = renderer as any;
  const points = pointsOf(mesh),
    scene = new Scene(),
    material = materialFor(renderer, what);
  material.size.value.set(target.width, target.height);
  points.material = material;
  scene.add(points);
  scene.matrixWorldAutoUpdate = false;
  if ((mesh as SkinnedMesh).isSkinnedMesh) (mesh as SkinnedMesh).skeleton.update();
  const before = gpu.getRenderTarget();
  gpu.setRenderTarget(target);
  gpu.render(scene as Object3D, camera);
  const texels: Float32Array = await gpu.readRenderTargetPixelsAsync(target, 0, 0, target.width, target.height);
  gpu.setRenderTarget(before);
  return texels;
}
