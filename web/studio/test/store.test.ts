// What is one step for undo. Without a browser.
import { expect, test, vi } from "vitest";
import type { Settings } from "../src/state/settings.js";
import { Store } from "../src/state/store.js";

const storeOf = (kappa: number) => new Store({ kappa } as Settings);

test("moves of one slider in quick succession are one step", () => {
  const store = storeOf(1);
  for (const kappa of [2, 3, 4]) store.change({ kappa }, "slider kappa");
  store.undo();
  expect(store.state.kappa).toBe(1);
  expect(store.canUndo).toBe(false);
  store.redo();
  expect(store.state.kappa).toBe(4);
});

test("100 steps back and forth, and no more", () => {
  const store = storeOf(0);
  for (let kappa = 1; kappa <= 110; ++kappa) store.change({ kappa });
  const depth = (can: "canUndo" | "canRedo", step: "undo" | "redo") => {
    let steps = 0;
    for (; store[can]; ++steps) store[step]();
    return steps;
  };
  expect(depth("canUndo", "undo")).toBe(100);
  expect(store.state.kappa).toBe(10);
  expect(depth("canRedo", "redo")).toBe(100);
  expect(store.state.kappa).toBe(110);
});

test("after an undo or a redo the next move is a step of its own, however soon", () => {
  const store = storeOf(1);
  store.change({ kappa: 2 }, "slider kappa");
  store.undo();
  store.redo();
  store.change({ kappa: 3 }, "slider kappa");
  store.undo();
  expect(store.state.kappa).toBe(2);
  store.change({ kappa: 5 }, "slider kappa");
  store.undo();
  expect(store.state.kappa).toBe(2);
});

test("from press to release everything is one step, however long it takes", () => {
  const store = storeOf(1);
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 5000));
  store.hold();
  for (const kappa of [2, 3, 4]) store.change({ kappa }, "slider kappa");
  store.release();
  store.change({ kappa: 5 }, "slider kappa");
  vi.restoreAllMocks();
  store.undo();
  expect(store.state.kappa).toBe(4);
  store.undo();
  expect(store.state.kappa).toBe(1);
});
