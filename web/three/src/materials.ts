import {
  type IUniform,
  type Material,
  MeshDepthMaterial,
  MeshDistanceMaterial,
  type WebGLProgramParametersWithUniforms,
  type WebGLRenderer,
} from "three";
import { glsl } from "./generated/shaders.js";
import { prepareNodes } from "./nodes.js";
import { magic } from "./skeleton.js";
import type { SkinRows } from "./rows.js";

const declarations = /* glsl */ `
#ifdef USE_SKINNING
attribute vec3 peltRow;
attribute vec3 peltCenter;
uniform highp sampler2D peltRows;
${glsl}
// Takes bound positions to root space; normals is what their normals are multiplied with. A mesh without rows, or whose
// skeleton has no header, has three.js's own skin matrix.
mat4 peltMatrix(vec3 rest, out mat3 normals) {
  ivec2 size = textureSize(boneTexture, 0);
  int last = size.y - 1;
  vec4 header = texelFetch(boneTexture, ivec2(size.x - 1, last), 0);
  if (peltRow.y == 0.0 || header.y != ${magic}.0 || int(header.x) > PELT_EDDM) {
    mat4 skin = skinWeight.x * getBoneMatrix(skinIndex.x) + skinWeight.y * getBoneMatrix(skinIndex.y) +
                skinWeight.z * getBoneMatrix(skinIndex.z) + skinWeight.w * getBoneMatrix(skinIndex.w);
    normals = peltNormalMatrix(skin, PELT_LBS);
    return skin;
  }
#if PELT_ALONE > 0
  const int form = PELT_ALONE;  // the compiler leaves the others out
#else
  int form = int(header.x);
#endif
  mat4 space = mat4(1.0);
  if (header.z != 0.0)
    space = transpose(mat4(texelFetch(boneTexture, ivec2(60, last), 0), texelFetch(boneTexture, ivec2(61, last), 0),
                           texelFetch(boneTexture, ivec2(62, last), 0), vec4(0.0, 0.0, 0.0, 1.0)));
  vec3 u = (space * vec4(rest, 1.0)).xyz;
  int first = int(peltRow.x), count = int(peltRow.y), firstRow = size.y / 2;
#if PELT_ALONE == 0  // v0 and Enhanced DDM
  mat4 skin = count == 1 ? peltFollowed(peltRows, boneTexture, firstRow, form, first, peltCenter, u)
                         : peltSolved(peltRows, boneTexture, firstRow, form, first, count, peltCenter, u);
#else
  mat4 skin = peltSkin(peltRows, boneTexture, firstRow, form, first, count, int(peltRow.z), peltCenter, u);
#endif
  normals = peltNormalMatrix(skin, form);
  if (header.z == 0.0) return skin;
  normals *= peltNormalMatrix(space, PELT_LBS);
  return skin * space;
}
#endif
`;

// Morph targets come after this chunk in three.js, but the matrix depends on them.
const base = /* glsl */ `
#ifdef USE_SKINNING
  vec3 peltRest = position;
  #ifdef USE_MORPHTARGETS
    peltRest *= morphTargetBaseInfluence;
    for (int i = 0; i < MORPHTARGETS_COUNT; i++)
      if (morphTargetInfluences[i] != 0.0) peltRest += getMorph(gl_VertexID, i, 0).xyz * morphTargetInfluences[i];
  #endif
  mat3 peltNormals;
  mat4 peltSkinMatrix = peltMatrix((bindMatrix * vec4(peltRest, 1.0)).xyz, peltNormals);
#endif
`;

const normal = /* glsl */ `
#ifdef USE_SKINNING
  objectNormal = peltNormalMatrix(bindMatrixInverse, PELT_LBS) *
                 (peltNormals * (peltNormalMatrix(bindMatrix, PELT_LBS) * objectNormal));
  #ifdef USE_TANGENT
    objectTangent = mat3(bindMatrixInverse) * (mat3(peltSkinMatrix) * (mat3(bindMatrix) * objectTangent));
  #endif
#endif
`;

const position = /* glsl */ `
#ifdef USE_SKINNING
  transformed = (bindMatrixInverse * (peltSkinMatrix * (bindMatrix * vec4(transformed, 1.0)))).xyz;
#endif
`;

/** Puts Pelt's skinning in the place of three.js's, in any shader that includes its chunks. */
export function injectSkinning(
  shader: { vertexShader: string; uniforms: Record<string, IUniform> },
  rows: SkinRows | null,
) {
  shader.uniforms.peltRows = rows?.uniform ?? { value: null };
  const forms = `#define PELT_ALONE ${rows?.formAlone ?? -1}\n`;
  shader.vertexShader = shader.vertexShader
    .replace("#include <skinning_pars_vertex>", `#include <skinning_pars_vertex>\n${forms}${declarations}`)
    .replace("#include <skinbase_vertex>", base)
    .replace("#include <skinnormal_vertex>", normal)
    .replace("#include <skinning_vertex>", position);
}

type Compile = (shader: WebGLProgramParametersWithUniforms, renderer: WebGLRenderer) => void;

const prepared = new WeakMap<Material, SkinRows>();

/** Makes a material skin by these rows; a copy of it where it already does so by those of another file. */
export function prepareMaterial<T extends Material>(material: T, rows: SkinRows): T {
  const known = prepared.get(material);
  if (known === rows) return material;
  if (known) return prepareMaterial(material.clone() as T, rows);
  prepared.set(material, rows);
  // An accessor, so that a hook set later is called and does not take the place of this one.
  let own: Compile = material.onBeforeCompile as Compile;
  const key = material.customProgramCacheKey;
  Object.defineProperty(material, "onBeforeCompile", {
    configurable: true,
    enumerable: false,
    get: (): Compile =>
      function (this: Material, shader, renderer) {
        own.call(this, shader, renderer);
        injectSkinning(shader, rows);
      },
    set: (compile: Compile) => void (own = compile),
  });
  material.customProgramCacheKey = function () {
    return `pelt ${rows.formAlone} ${own.toString()} ${key.call(this)}`;
  };
  rows.materials.add(material);
  material.addEventListener("dispose", () => rows.materials.delete(material));
  prepareNodes(material);
  material.needsUpdate = true;
  return material;
}

interface Shadows {
  depth: MeshDepthMaterial;
  distance: MeshDistanceMaterial;
}
const shadows = new WeakMap<Material, Shadows>();

/** The materials that shadows of a prepared material are drawn with; they are disposed of with it. */
export function shadowMaterials(material: Material, rows: SkinRows): Shadows {
  let pair = shadows.get(material);
  if (!pair) {
    pair = {
      depth: prepareMaterial(new MeshDepthMaterial(), rows),
      distance: prepareMaterial(new MeshDistanceMaterial(), rows),
    };
    const { depth, distance } = pair;
    shadows.set(material, pair);
    material.addEventListener("dispose", () => {
      depth.dispose();
      distance.dispose();
    });
  }
  return pair;
}
