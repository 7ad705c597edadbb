import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Document, NodeIO } from "@gltf-transform/core";
import { biped, made, mushed, pelt, web, work } from "./support.js";

const io = new NodeIO();

async function edited(from: string, name: string, edit: (document: Document) => void): Promise<string> {
  const path = `${work}/${name}`,
    document = await io.read(from);
  edit(document);
  await io.write(path, document);
  return path;
}

/** The biped with a forearm that grows and a chest that shrinks in the walk. */
export const scaled = async (...options: string[]) =>
  mushed(
    await edited(biped(), "scaling.glb", (document) => {
      const walk = document.getRoot().listAnimations()[0],
        buffer = document.getRoot().listBuffers()[0];
      for (const [joint, to] of [
        ["forearm_L", [1.3, 0.8, 1.9]],
        ["chest", [0.4, 0.4, 0.4]],
      ] as const) {
        const node = document
          .getRoot()
          .listNodes()
          .find((one) => one.getName() === joint)!;
        const input = document
          .createAccessor()
          .setType("SCALAR")
          .setArray(new Float32Array([0, 1.2]))
          .setBuffer(buffer);
        const output = document
          .createAccessor()
          .setType("VEC3")
          .setArray(new Float32Array([1, 1, 1, ...to]))
          .setBuffer(buffer);
        const sampler = document.createAnimationSampler().setInput(input).setOutput(output);
        walk.addSampler(sampler);
        walk.addChannel(
          document.createAnimationChannel().setTargetNode(node).setTargetPath("scale").setSampler(sampler),
        );
      }
    }),
    `scaled${options.join("")}.glb`,
    ...options,
  );

/** The muscular arm with weights from -2 to 3, fitted to its examples. */
export const signedArm = () =>
  made("signed_arm.glb", (out) => {
    const arm = `${work}/small_arm.glb`,
      examples = `${work}/small_arm.npy`;
    pelt("sample", "arm", "--resolution", "600", "--examples", examples, "-o", arm);
    pelt("fit", arm, examples, "--signed", "--max-extra-joints", "4", "-o", out);
  });

/** With a morph target that the walk fades in. */
export const morphing = async () =>
  mushed(
    await edited(biped(), "morphing.glb", (document) => {
      const root = document.getRoot(),
        buffer = root.listBuffers()[0],
        mesh = root.listMeshes()[0];
      const primitive = mesh.listPrimitives()[0];
      const moved = Float32Array.from(primitive.getAttribute("POSITION")!.getArray()!, (x) => 0.05 * Math.sin(20 * x));
      const target = document
        .createPrimitiveTarget()
        .setAttribute("POSITION", document.createAccessor().setType("VEC3").setArray(moved).setBuffer(buffer));
      primitive.addTarget(target);
      mesh.setWeights([0]);
      const sampler = document
        .createAnimationSampler()
        .setInput(
          document
            .createAccessor()
            .setType("SCALAR")
            .setArray(new Float32Array([0, 1.2]))
            .setBuffer(buffer),
        )
        .setOutput(
          document
            .createAccessor()
            .setType("SCALAR")
            .setArray(new Float32Array([0, 1]))
            .setBuffer(buffer),
        );
      const node = root.listNodes().find((one) => one.getMesh() === mesh)!;
      root
        .listAnimations()[0]
        .addSampler(sampler)
        .addChannel(document.createAnimationChannel().setTargetNode(node).setTargetPath("weights").setSampler(sampler));
    }),
    "morphed.glb",
  );

/** With two rigid parts: a box in the left hand, and one on a node that no joint carries, which moves in the walk. */
export const carrying = () =>
  edited(biped(), "carrying.glb", (document) => {
    const root = document.getRoot(),
      buffer = root.listBuffers()[0];
    const corners = Float32Array.from({ length: 24 }, (_, i) => (((i / 3) >> (i % 3)) & 1 ? 0.1 : -0.05));
    const box = document.createMesh("box").addPrimitive(
      document
        .createPrimitive()
        .setAttribute("POSITION", document.createAccessor().setType("VEC3").setArray(corners).setBuffer(buffer))
        .setIndices(
          document
            .createAccessor()
            .setType("SCALAR")
            .setArray(Uint16Array.of(0, 1, 3, 0, 3, 2, 4, 7, 5, 4, 6, 7, 0, 5, 1, 0, 4, 5))
            .setBuffer(buffer),
        ),
    );
    const held = document.createNode("held").setMesh(box).setRotation([0.6, 0, 0, 0.8]).setTranslation([0.1, 0, 0]),
      flying = document.createNode("flying").setMesh(box).setTranslation([1, 1, 0]);
    root
      .listNodes()
      .find((one) => one.getName() === "hand_L")!
      .addChild(held);
    root.listScenes()[0].addChild(flying);
    const numbers = (type: "SCALAR" | "VEC3", values: number[]) =>
      document.createAccessor().setType(type).setArray(Float32Array.from(values)).setBuffer(buffer);
    const sampler = document
      .createAnimationSampler()
      .setInput(numbers("SCALAR", [0, 1]))
      .setOutput(numbers("VEC3", [1, 1, 0, 0, 2, 1]));
    const channel = document.createAnimationChannel().setTargetNode(flying).setTargetPath("translation");
    root
      .listAnimations()
      .find((one) => one.getName() === "walk")!
      .addSampler(sampler)
      .addChannel(channel.setSampler(sampler));
  });

/** With a tangent per vertex, at right angles to its normal. */
export const tangents = async () =>
  mushed(
    await edited(biped(), "with_tangents.glb", (document) => {
      const primitive = document.getRoot().listMeshes()[0].listPrimitives()[0],
        normals = primitive.getAttribute("NORMAL")!;
      const numbers = new Float32Array(4 * normals.getCount());
      for (let v = 0; v < normals.getCount(); ++v) {
        const [x, y, z] = normals.getElement(v, []),
          length = Math.hypot(y, z, 0) > 0.1 ? Math.hypot(y, z) : 0;
        numbers.set(
          length ? [0, z / length, -y / length, 1] : [-y, x, 0, 1].map((n, i) => (i < 3 ? n / Math.hypot(x, y) : n)),
          4 * v,
        );
      }
      const buffer = document.getRoot().listBuffers()[0];
      primitive.setAttribute("TANGENT", document.createAccessor().setType("VEC4").setArray(numbers).setBuffer(buffer));
    }),
    "tangents.glb",
  );

export const manyJoints = () =>
  made("many.glb", (out) => pelt("bake", biped(), "--influences", "8", "--fps", "6", "-o", out));

/** Half-way turns and scales. */
export const fitted = () =>
  made("fitted.glb", (out) => {
    pelt("sample", "arm", "--resolution", "1000", "--examples", `${work}/arm.npy`, "-o", `${work}/arm.glb`);
    pelt("fit", `${work}/arm.glb`, `${work}/arm.npy`, "--influences", "4", "-o", out);
  });

/** Learned helpers. */
export const helped = () =>
  made("helped.glb", (out) => {
    pelt("sample", "bar", "--resolution", "600", "-o", `${work}/bar.glb`);
    pelt("bake", `${work}/bar.glb`, "--helpers", "2", "-o", out);
  });

/** The biped with virtual joints. */
export const virtualJoints = () =>
  made("virtual.glb", (out) => {
    pelt("bake", biped(), "--virtual", "16", "--fps", "3", "-o", out);
  });

/** An arm with virtual joints, below an armature that scales by 100. */
export const virtualInArmature = () =>
  made("virtual_in_armature.glb", (out) => {
    const put = resolve(web, "../tests/integrations/put_in_armature.py"),
      arm = `${work}/small_arm.glb`,
      armature = `${work}/armature.glb`;
    pelt("sample", "arm", "--resolution", "600", "-o", arm);
    execFileSync("python3", [put, arm, armature, "100", "0"]);
    pelt("bake", armature, "--virtual", "16", "--fps", "3", "-o", out);
  });

/** Turns of nodes, and scales where the pose has them. */
export type Pose = Record<string, { rotation: number[]; scale?: number[] }>;

/** A file with the clip `pose`: this pose, all the time. */
export const posing = (name: string, pose: Pose) =>
  edited(biped(), name, (document) => {
    const root = document.getRoot(),
      buffer = root.listBuffers()[0],
      animation = document.createAnimation("pose");
    const array = (type: "SCALAR" | "VEC3" | "VEC4", numbers: number[]) =>
      document.createAccessor().setType(type).setArray(new Float32Array(numbers)).setBuffer(buffer);
    const times = array("SCALAR", [0, 1]);
    for (const [joint, { rotation, scale }] of Object.entries(pose)) {
      const node = root.listNodes().find((one) => one.getName() === joint)!;
      for (const [path, type, value] of [
        ["rotation", "VEC4", rotation],
        ["scale", "VEC3", scale],
      ] as const) {
        if (!value) continue;
        const sampler = document
          .createAnimationSampler()
          .setInput(times)
          .setOutput(array(type, [...value, ...value]));
        animation
          .addSampler(sampler)
          .addChannel(document.createAnimationChannel().setTargetNode(node).setTargetPath(path).setSampler(sampler));
      }
    }
  });

export const small = () =>
  mushed(
    made("bar.glb", (out) => pelt("sample", "bar", "--resolution", "600", "-o", out)),
    "small.glb",
  );

/** A .glb with its JSON changed. */
export function withJson(from: string, name: string, change: (json: any) => void): string {
  const file = readFileSync(from),
    length = file.readUInt32LE(12);
  const json = JSON.parse(file.toString("utf8", 20, 20 + length));
  change(json);
  let text = JSON.stringify(json);
  while (Buffer.byteLength(text) % 4) text += " ";
  const head = Buffer.alloc(20),
    bytes = Buffer.from(text),
    rest = file.subarray(20 + length);
  file.copy(head, 0, 0, 20);
  head.writeUInt32LE(20 + bytes.length + rest.length, 8);
  head.writeUInt32LE(bytes.length, 12);
  const path = `${work}/${name}`;
  writeFileSync(path, Buffer.concat([head, bytes, rest]));
  return path;
}

export const twisting = () => {
  const bar = made("long_bar.glb", (out) => pelt("sample", "bar", "--resolution", "6000", "-o", out));
  return mushed(bar, "twisting.glb", "--lambda", "50", "--alpha", "0");
};
