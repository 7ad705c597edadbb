// The files of web/shaders without three.js: what an engine does with them.
import { meshesOf } from "./harness.js";

/** The textures and attributes of the loaded file, as the comments of the shaders describe them. */
function data() {
  const { state } = window.harness;
  state.scene.updateMatrixWorld(true);
  const [mesh] = meshesOf(state.gltf.scene),
    { skeleton } = mesh,
    { attributes } = mesh.geometry;
  skeleton.computeBoneTexture();
  const texels = skeleton.boneTexture.image.data;
  const { position } = attributes,
    rest = new Float32Array(3 * position.count);
  for (let i = 0; i < rest.length; ++i) rest[i] = position.getComponent(Math.floor(i / 3), i % 3);
  return {
    rows: skeleton.skin.rows.texture.image,
    joints: texels.slice(texels.length / 2),
    form: skeleton.form,
    row: attributes.peltRow.array,
    center: attributes.peltCenter.array,
    rest,
  };
}

export async function runGlsl() {
  const { rows, joints, form, row, center, rest } = data(),
    count = rest.length / 3;
  const source = await (await fetch("/shaders/pelt_skin.glsl")).text();
  const gl = document.createElement("canvas").getContext("webgl2");
  const compile = (kind, text) => {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    return shader;
  };
  const program = gl.createProgram();
  gl.attachShader(
    program,
    compile(
      gl.VERTEX_SHADER,
      `#version 300 es
precision highp float;
precision highp int;
uniform highp sampler2D peltRows, peltJoints;
in vec3 row, center, rest;
out vec3 result;
${source}
void main() {
  mat4 m = peltSkin(peltRows, peltJoints, 0, ${form}, int(row.x), int(row.y), int(row.z), center, rest);
  result = (m * vec4(rest, 1.0)).xyz;
}`,
    ),
  );
  gl.attachShader(program, compile(gl.FRAGMENT_SHADER, "#version 300 es\nvoid main() {}"));
  gl.transformFeedbackVaryings(program, ["result"], gl.INTERLEAVED_ATTRIBS);
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  gl.useProgram(program);
  [
    ["peltRows", rows.width, rows.height, rows.data],
    ["peltJoints", 64, joints.length / 256, joints],
  ].forEach(([name, width, height, texels], unit) => {
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, width, height);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
      gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, width, height, gl.RGBA, gl.FLOAT, texels);
    gl.uniform1i(gl.getUniformLocation(program, name), unit);
  });
  for (const [name, array] of Object.entries({ row, center, rest })) {
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, array, gl.STATIC_DRAW);
    const at = gl.getAttribLocation(program, name);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 0, 0);
  }
  const out = gl.createBuffer();
  gl.bindBuffer(gl.TRANSFORM_FEEDBACK_BUFFER, out);
  gl.bufferData(gl.TRANSFORM_FEEDBACK_BUFFER, 12 * count, gl.STATIC_READ);
  gl.bindBufferBase(gl.TRANSFORM_FEEDBACK_BUFFER, 0, out);
  gl.enable(gl.RASTERIZER_DISCARD);
  gl.beginTransformFeedback(gl.POINTS);
  gl.drawArrays(gl.POINTS, 0, count);
  gl.endTransformFeedback();
  const result = new Float32Array(3 * count);
  gl.getBufferSubData(gl.TRANSFORM_FEEDBACK_BUFFER, 0, result);
  return window.harness.base64([result]);
}

export async function runWgsl() {
  const { rows, joints, form, row, center, rest } = data(),
    count = rest.length / 3;
  const source = await (await fetch("/shaders/pelt_skin.wgsl")).text();
  const device = await (await navigator.gpu.requestAdapter()).requestDevice();
  const code = `
@group(0) @binding(0) var peltRows: texture_2d<f32>;
@group(0) @binding(1) var peltJoints: texture_2d<f32>;
@group(0) @binding(2) var<storage, read> row: array<f32>;
@group(0) @binding(3) var<storage, read> center: array<f32>;
@group(0) @binding(4) var<storage, read> rest: array<f32>;
@group(0) @binding(5) var<storage, read_write> result: array<f32>;
${source}
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = 3 * id.x;
  if (i >= arrayLength(&result)) { return; }
  let u = vec3f(rest[i], rest[i + 1], rest[i + 2]);
  let m = peltSkin(peltRows, peltJoints, 0, ${form}, i32(row[i]), i32(row[i + 1]), i32(row[i + 2]),
                   vec3f(center[i], center[i + 1], center[i + 2]), u);
  let x = (m * vec4f(u, 1.0)).xyz;
  result[i] = x.x;
  result[i + 1] = x.y;
  result[i + 2] = x.z;
}`;
  const module = device.createShaderModule({ code });
  const problems = (await module.getCompilationInfo()).messages;
  if (problems.length) throw new Error(problems[0].message);
  const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module, entryPoint: "main" } });
  const texture = (width, height, texels) => {
    const made = device.createTexture({
      size: [width, height],
      format: "rgba32float",
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    });
    device.queue.writeTexture({ texture: made }, texels, { bytesPerRow: 16 * width }, [width, height]);
    return made.createView();
  };
  const buffer = (array, usage) => {
    const made = device.createBuffer({ size: array.byteLength, usage: usage | GPUBufferUsage.COPY_DST });
    device.queue.writeBuffer(made, 0, array);
    return made;
  };
  const out = buffer(new Float32Array(3 * count), GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC);
  const read = buffer(new Float32Array(3 * count), GPUBufferUsage.MAP_READ);
  const bound = [
    texture(rows.width, rows.height, rows.data),
    texture(64, joints.length / 256, joints),
    ...[row, center, rest].map((array) => ({ buffer: buffer(array, GPUBufferUsage.STORAGE) })),
    { buffer: out },
  ];
  const encoder = device.createCommandEncoder(),
    pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(
    0,
    device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: bound.map((resource, binding) => ({ binding, resource })),
    }),
  );
  pass.dispatchWorkgroups(Math.ceil(count / 64));
  pass.end();
  encoder.copyBufferToBuffer(out, 0, read, 0, 12 * count);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(GPUMapMode.READ);
  return window.harness.base64([new Float32Array(read.getMappedRange())]);
}
