import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  fitted,
  helped,
  manyJoints,
  morphing,
  type Pose,
  posing,
  scaled,
  signedArm,
  small,
  tangents,
  twisting,
  virtualInArmature,
  virtualJoints,
  withJson,
} from "./fixtures.js";
import { biped, diagonal, distance, mushed, native, Session, shared, work } from "./support.js";

const bound = 1e-4; // of the diagonal

/** What both renderers must do. */
export function suite(kind: "webgl" | "webgpu"): void {
  let session: Session;
  beforeAll(async () => void (session = await Session.open(kind, undefined, 256)));
  afterAll(() => session?.close());
  const run = (script: string) => session.page.evaluate(script) as Promise<any>;

  /** Positions and normals of the loaded file against the program, at frames of a clip. */
  async function compare(file: string, clip: string | number, frames: number[], method = "ddm", normalBound = 2e-3) {
    for (const frame of frames) {
      const wanted = native(file, method, clip, frame);
      await run(`harness.pose(${JSON.stringify(clip)}, ${frame / 30})`);
      const positions = await session.floats(`harness.read("Positions")`);
      expect(distance(positions, wanted.positions) / diagonal(wanted.positions)).toBeLessThan(bound);
      if (normalBound > 0)
        expect(distance(await session.floats(`harness.read("Normals")`), wanted.normals)).toBeLessThan(normalBound);
    }
  }

  describe("is where the program puts it", () => {
    for (const variant of ["v0", "v1", "v2", "v3", "v4", "v5"])
      test(`the biped, ${variant}`, async () => {
        const file = mushed(biped(), `biped_${variant}.glb`, "--variant", variant);
        expect((await session.load(file)).map((mesh) => mesh.pelt)).toEqual([true]);
        await compare(file, "walk", [5, 23]);
      });

    test("weights of any sign, whichever method of Direct Delta Mush is set", async () => {
      const file = signedArm();
      expect((await session.load(file)).map((mesh) => mesh.pelt)).toEqual([true]);
      await compare(file, "flex", [70, 100]);
      await run(`harness.state.plugin.method = "ddm-v0"`);
      await compare(file, "flex", [100]);
      await run(`harness.state.plugin.method = "lbs"`);
      await compare(file, "flex", [100], "lbs");
    });

    test("numbers of 16 bits", async () => {
      const file = mushed(biped(), "short.glb", "--payload", "q16");
      await session.load(file);
      await compare(file, "range_of_motion", [40]);
    });

    for (const variant of ["v2", "v4", "v5"])
      test(`the numbers of ${variant} alone, of 16 bits; a method that needs more is ${variant}`, async () => {
        const file = mushed(biped(), `short_${variant}.glb`, "--payload", "q16", "--variant", variant);
        await session.load(file);
        await run(`state = harness.state, state.plugin.method = "ddm-v0"`);
        await compare(file, "range_of_motion", [40]);
        await run(`state.plugin.method = "ddm"`);
      });

    test("joints that scale: Enhanced DDM, of its own accord and on demand", async () => {
      const file = await scaled();
      await session.load(file);
      await compare(file, "walk", [12, 36]);
      await run(`state = harness.state, state.plugin.method = "ddm-v0"`);
      await compare(file, "walk", [36], "ddm-v0");
      await run(`state.plugin.method = "eddm"`);
      await compare(file, "walk", [12], "eddm");
    });

    test("a bar twisted by 170°, where rotations are hard to tell", async () => {
      const file = twisting();
      await session.load(file);
      await compare(file, "range_of_motion", [300, 315], "ddm", 0);
    });

    test("the plain weights, on demand", async () => {
      const file = mushed(biped(), "biped_v0.glb");
      await session.load(file);
      await run(`harness.state.plugin.method = "lbs"`);
      await compare(file, "walk", [11], "lbs");
    });

    test("more than four joints per vertex", async () => {
      const file = manyJoints();
      expect((await session.load(file)).map((mesh) => mesh.pelt)).toEqual([true]);
      await compare(file, "walk", [11], "lbs");
    });

    test("morph targets", async () => {
      const file = await morphing();
      await session.load(file);
      await compare(file, "walk", [0, 30], "ddm", 0);
    });

    test("tangents", async () => {
      const file = await tangents();
      await session.load(file);
      const { tangents: wanted } = native(file, "ddm", "walk", 11, "--tangents", `${work}/tangents.npy`);
      await run(`harness.pose("walk", ${11 / 30})`);
      expect(distance(await session.floats(`harness.read("Tangents")`), wanted)).toBeLessThan(2e-3);
    });

    test("half-way turns and scales follow their drivers, whatever the keys say", async () => {
      const file = fitted();
      await session.load(file);
      await run(`harness.dropDrivenKeys()`);
      await compare(file, 0, [10, 25], "lbs", 0);
    });

    test("learned joints follow their inputs, whatever the keys say", async () => {
      const file = helped();
      await session.load(file);
      expect(await run(`harness.dropDrivenKeys()`)).toBeGreaterThan(0);
      await compare(file, 0, [10, 25], "lbs", 0);
    });

    test("virtual joints in the clips, with and without their keys", async () => {
      const file = virtualJoints();
      await session.load(file);
      const turned = 0.1; // a plain skin of three.js turns normals by the blended matrix itself, not by its cofactors
      await compare(file, "walk", [5, 23], "lbs", turned);
      expect(await run(`harness.dropDrivenKeys()`)).toBeGreaterThan(0);
      await compare(file, "range_of_motion", [40], "lbs", turned);
      const plain = withJson(file, "keyed.glb", (json) => delete json.extensions.PELT_driven_joints);
      await session.load(plain);
      await run(`harness.pose("walk", ${23 / 30})`);
      const { positions } = native(file, "lbs", "walk", 23);
      const keyed = await session.floats(`harness.read("Positions")`);
      expect(distance(keyed, positions) / diagonal(positions)).toBeLessThan(bound);
    });

    test("virtual joints below a scaled armature", async () => {
      const file = virtualInArmature();
      await session.load(file);
      await run(`harness.dropDrivenKeys()`);
      await compare(file, "flex", [35, 75], "lbs", 0);
    });

    for (const [what, scale] of [
      ["turned", undefined],
      ["scaled", [1.3, 0.8, 1.9]],
    ] as [string, number[] | undefined][])
      test(`virtual joints in a pose that no clip has, ${what} by hand`, async () => {
        const pose: Pose = {
          forearm_L: { rotation: [0.2, 0.6, -0.3, 0.714], scale },
          thigh_R: { rotation: [0.5, 0.1, 0.1, 0.854] },
          chest: { rotation: [0, 0.3, 0.2, 0.933], scale: scale && [0.7, 0.7, 0.7] },
          head: { rotation: [0.1, -0.4, 0, 0.911] },
        };
        for (const turn of Object.values(pose)) {
          const length = Math.hypot(...turn.rotation);
          turn.rotation = turn.rotation.map((x) => x / length);
        }
        const file = virtualJoints(),
          clips = await posing(`${what}_pose.glb`, pose);
        const { positions } = native(file, "lbs", "pose", 0, "--clips", clips);
        await session.load(file);
        await run(`harness.turn(${JSON.stringify(pose)})`);
        const played = await session.floats(`harness.read("Positions")`);
        expect(distance(played, positions) / diagonal(positions)).toBeLessThan(bound);
      });

    for (const [name, path, clip] of [
      ["RobotExpressive", "rigged/RobotExpressive/RobotExpressive.glb", "Dance"],
      ["CesiumMan", "rigged/khronos/CesiumMan/glTF-Binary/CesiumMan.glb", 0],
      ["Mannequiny", "rigged/mannequiny/godot/assets/3d/mannequiny/mannequiny-0.3.0.glb", 3],
    ] as const)
      test.skipIf(!existsSync(join(shared, path)))(`${name} of ../shared/data`, async () => {
        const file = mushed(join(shared, path), `${name}.glb`);
        const meshes = await session.load(file);
        expect(meshes.filter((mesh) => mesh.skinned).map((mesh) => mesh.pelt)).not.toContain(false);
        await compare(file, clip, [9, 31]);
      });
  });

  test("a model that the scene scales and moves far away keeps its shape", async () => {
    const file = mushed(biped(), "biped_v0.glb");
    await session.load(file);
    const { positions } = native(file, "ddm", "walk", 11);
    await run(`harness.pose("walk", ${11 / 30}), harness.state.gltf.scene.scale.setScalar(0.01),
               harness.state.gltf.scene.position.set(3, 0, -1)`);
    const moved = (await session.floats(`harness.read("Positions")`)).map((x, i) => (x - [3, 0, -1][i % 3]) * 100);
    expect(distance(moved, positions) / diagonal(positions)).toBeLessThan(bound);
  });

  test("two clips are mixed: between both, and the processor agrees with the GPU", async () => {
    await session.load(mushed(biped(), "biped_v0.glb"));
    await run(`harness.blend([["walk", 0.5, 0.4], ["range_of_motion", 0.5, 2]])`);
    const mixed = await session.floats(`harness.read("Positions")`);
    const onProcessor = await session.floats(`harness.onProcessor()`);
    expect(distance(mixed, onProcessor) / diagonal(mixed)).toBeLessThan(1e-5);
    await run(`harness.blend([["walk", 1, 0.4]])`);
    expect(distance(await session.floats(`harness.read("Positions")`), mixed) / diagonal(mixed)).toBeGreaterThan(0.01);
  });

  test("a clone moves on its own, and its driven joints with it", async () => {
    const file = mushed(biped(), "biped_v0.glb");
    await session.load(file);
    await run(`harness.pose("walk", ${5 / 30}), copy = harness.cloneAt("walk", ${23 / 30})`);
    for (const [root, frame] of [
      ["harness.state.gltf.scene", 5],
      ["copy", 23],
    ] as const) {
      const { positions } = native(file, "ddm", "walk", frame);
      expect(
        distance(await session.floats(`harness.read("Positions", ${root})`), positions) / diagonal(positions),
      ).toBeLessThan(bound);
    }
    const driven = fitted();
    await session.load(driven);
    await run(`harness.dropDrivenKeys(), harness.pose(0, 0.1), copy = harness.cloneAt(0, ${20 / 30})`);
    const { positions } = native(driven, "lbs", 0, 20);
    expect(
      distance(await session.floats(`harness.read("Positions", copy)`), positions) / diagonal(positions),
    ).toBeLessThan(bound);
  });

  test("rays hit, and boxes enclose, the deformed surface", async () => {
    const file = await scaled();
    await session.load(file);
    await run(`harness.pose("walk", 1.1)`);
    const { largest, hits, box, lbs } = await run(`harness.rays(60)`);
    expect(hits).toBe(60);
    expect(largest).toBeLessThan(1e-4);
    expect(box).toBeLessThan(1e-4);
    expect(lbs).toBeGreaterThan(0.005); // where the plain skin would have been hit
  });

  for (const light of ["DirectionalLight", "PointLight"])
    test(`the shadow of a ${light} is that of the deformed surface`, async () => {
      await session.load(mushed(biped(), "biped_v0.glb"));
      await run(`harness.pose("walk", 1.1)`);
      const same = await run(`harness.shadow("${light}", "ddm", "ddm")`);
      const other = await run(`harness.shadow("${light}", "ddm", "lbs")`);
      expect(same.pixels).toBeGreaterThan(1000);
      expect(same.differ / same.pixels).toBeLessThan(0.1);
      expect(other.differ).toBeGreaterThan(3 * same.differ);
    });

  test("a material that is assigned later is skinned too", async () => {
    await session.load(mushed(biped(), "biped_v0.glb"));
    await run(`harness.pose("walk", 0.4)`);
    expect(await run(`harness.sameSilhouette(new harness.THREE.MeshBasicMaterial())`)).toBeLessThan(20);
  });

  test("a method that does not exist is refused", async () => {
    await session.load(small());
    await expect(run(`harness.state.plugin.method = "dqs"`)).rejects.toThrow(/no method "dqs"/);
  });

  test("twenty files leave no textures behind", async () => {
    const file = small();
    const counts = await run(`harness.loads("/file${file}", 20)`);
    expect(counts.textures).toBe(counts.before);
  });

  test("driven joints that follow each other: a warning, and the keys play", async () => {
    const bad = withJson(fitted(), "circle.glb", (json) => {
      const [first, second] = json.extensions.PELT_driven_joints.joints;
      first.driver = second.node;
    });
    session.messages.length = 0;
    await session.load(bad);
    expect(session.messages.filter((text) => /PELT_driven_joints is not used/.test(text))).toHaveLength(1);
    const { positions } = native(fitted(), "lbs", 0, 10);
    await run(`harness.pose(0, ${10 / 30})`);
    expect(distance(await session.floats(`harness.read("Positions")`), positions) / diagonal(positions)).toBeLessThan(
      1e-3,
    );
  });

  describe("a payload that does not fit: a warning, and the plain skin plays", () => {
    const cases: [string, (object: any) => void, RegExp][] = [
      ["an edited mesh", (object) => (object.positionHash = "0123456789abcdef"), /was edited/],
      ["an edited skeleton", (object) => (object.jointsHash = "0123456789abcdef"), /skeleton was edited/],
      ["another version", (object) => (object.version = 9), /version is 9/],
      ["an unknown encoding", (object) => (object.encoding = "q8"), /encoding "q8"/],
      ["records past their view", (object) => (object.vertexOffset = 1 << 24), /reach past/],
      ["entries past their view", (object) => (object.entryOffset = 1 << 24), /reach past/],
      ["a view that does not exist", (object) => (object.bufferView = 99), /is not used/],
      ["entries read as vertices", (object) => (object.entryOffset = 0), /joint|finite|past/],
    ];
    for (const [name, change, message] of cases)
      test(name, async () => {
        const file = small();
        const bad = withJson(file, "bad.glb", (json) =>
          change(json.meshes[0].primitives[0].extensions.PELT_direct_delta_mush),
        );
        session.messages.length = 0;
        expect((await session.load(bad)).map((mesh) => mesh.pelt)).toEqual([false]);
        expect(session.messages.filter((text) => message.test(text))).toHaveLength(1);
        const { positions } = native(file, "lbs", 0, 10);
        await run(`harness.pose(0, ${10 / 30})`);
        expect(
          distance(await session.floats(`harness.read("Positions")`), positions) / diagonal(positions),
        ).toBeLessThan(bound);
      });
  });
}
