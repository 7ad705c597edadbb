import { expect, test } from "vitest";
import { Fnv1a } from "../src/hash.js";

// The two examples that docs/payload.md gives.
test("two positions hash as the payload's page says", () => {
  expect(new Fnv1a().floats([0, 0, 0, 1, 2, 3]).digits()).toBe("932e9f9e1e67e7e8");
});

test("one joint without a matrix hashes as the payload's page says", () => {
  const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const hash = new Fnv1a().bytes(new TextEncoder().encode("hip")).bytes(Uint8Array.of(0)).floats(identity);
  expect(hash.digits()).toBe("3f8b7a820c06249a");
});
