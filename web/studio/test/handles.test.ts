// What the page makes of handles, without a browser: the entries of a handles file, keys, the other side.
import { describe, expect, test } from "vitest";
import { fileHandle, mirrored, otherSide, targetsAt, transformOf, turned } from "../src/pose/handles.js";
import { Vector3 } from "three";
import type { PoseHandle, Triple } from "../src/state/settings.js";

const point: PoseHandle = { vertices: [7], pinned: false, offset: [0, 0, 0] };
const now = { offset: [1, 2, 3] as Triple, rotation: [0, 0, 90] as Triple };

test("a handle is written as pelt pose reads it", () => {
  expect(fileHandle(point, [0, 0, 0], now)).toEqual({ region: [7], constraint: "position", offset: [1, 2, 3] });
  expect(fileHandle({ ...point, name: "ear", pinned: true }, [0, 0, 0], now)).toEqual({
    region: [7],
    name: "ear",
    constraint: "hold",
  });
  expect(fileHandle({ ...point, constraint: "free" }, [0, 0, 0], now)).toEqual({ region: [7], constraint: "free" });
  const keys = [0, 1].map((time) => ({ time, offset: [time, 0, 0] as Triple, rotation: [0, 9 * time, 0] as Triple }));
  expect(
    fileHandle({ joint: "hand", constraint: "full", pinned: false, offset: [0, 0, 0] }, [0, 0, 0], now, keys),
  ).toEqual({
    joint: "hand",
    constraint: "full",
    offsets: [
      [0, [0, 0, 0]],
      [1, [1, 0, 0]],
    ],
    rotations: [
      [0, [0, 0, 0]],
      [1, [0, 9, 0]],
    ],
  });
});

test("a scaled handle is a matrix that scales and turns about its place", () => {
  const { transform, constraint } = fileHandle({ ...point, scale: 2 }, [1, 0, 0], now) as any;
  expect(constraint).toBe("full");
  const at = (x: number, y: number, z: number) =>
    [0, 1, 2].map((c) => transform[c] * x + transform[4 + c] * y + transform[8 + c] * z + transform[12 + c]);
  at(1, 0, 0).forEach((value, c) => expect(value).toBeCloseTo([2, 2, 3][c], 6));
  at(2, 0, 0).forEach((value, c) => expect(value).toBeCloseTo([2, 4, 3][c], 6));
  expect(transformOf([0, 0, 0], [0, 0, 0], [0, 0, 0], 1)).toEqual([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
});

test("turns add up about the axes of the world", () => {
  const [x, y, z] = turned([90, 0, 0], new Vector3(0, 1, 0), (40 * Math.PI) / 180); // first about x, then about y
  expect([x, y, z].map((angle) => Math.round(angle))).toEqual([90, 40, 0]);
});

test("between keys, places and turns are interpolated; outside they stay", () => {
  const handles = [point],
    keys = [
      { time: 0, offsets: [[0, 0, 0]] as Triple[] },
      { time: 1, offsets: [[2, 0, 0]] as Triple[], rotations: [[0, 0, 40]] as Triple[] },
    ];
  expect(targetsAt(handles, keys, 0.5)).toEqual({ offsets: [[1, 0, 0]], rotations: [[0, 0, 20]] });
  expect(targetsAt(handles, keys, 9)).toEqual({ offsets: [[2, 0, 0]], rotations: [[0, 0, 40]] });
});

describe("the other side", () => {
  const positions = Float32Array.of(-1, 0, 0, 1, 0, 0, -1, 2, 0, 1, 2, 0);
  const joints = [
    { name: "hand_L", place: [1, 2, 0] as Triple },
    { name: "hand_R", place: [-1, 2, 0] as Triple },
    { name: "head", place: [0, 3, 0] as Triple },
  ];

  test("of a point, a segment and a joint", () => {
    const turnedPoint = { ...point, vertices: [0], offset: [1, 2, 3] as Triple, rotation: [1, 2, 3] as Triple };
    expect(mirrored(turnedPoint, positions, [])).toMatchObject({
      vertices: [1],
      offset: [-1, 2, 3],
      rotation: [1, -2, -3],
    });
    const segment: [Triple, Triple] = [
      [-1, 0, 0],
      [-1, 2, 0],
    ];
    expect(mirrored({ segment, pinned: true, offset: [0, 0, 0] }, positions, [])!.segment).toEqual([
      [1, 0, 0],
      [1, 2, 0],
    ]);
    const hand: PoseHandle = { joint: "hand_L", pinned: false, offset: [0, 0, 0] };
    expect(mirrored(hand, positions, joints)!.joint).toBe("hand_R");
    expect(mirrored({ ...hand, joint: "head" }, positions, joints)).toBe(null);
  });

  test("has the name of the other side", () => {
    expect(["left ear", "ear_R", "Left", "tail", "L_foot"].map(otherSide)).toEqual([
      "right ear",
      "ear_L",
      "Right",
      "tail mirrored",
      "R_foot",
    ]);
  });
});
