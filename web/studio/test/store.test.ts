// What is one step for undo. Without a browser.
import { expect, test } from "vitest";
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
