import { describe, expect, it } from "vitest";
import { createPelt, PeltError } from "../dist/index.js";
import { read, sample } from "./support.js";

const bytes = read(sample("biped", "--resolution=3000"));

for (const worker of [false, true])
  describe(worker ? "a long call in a worker" : "a long call", () => {
    it("reports its stages with fractions that rise to the end of each", async () => {
      const pelt = await createPelt({ worker }),
        hero = pelt.loadCharacter(bytes);
      const reports: [number, string][] = [];
      const { bytes: mushed, report } = await hero.mush({
        onProgress: (fraction, stage) => reports.push([fraction, stage]),
      });
      expect(report.verb).toBe("mush");
      expect(reports.length).toBeGreaterThan(10);
      expect(reports.every(([fraction]) => fraction >= 0 && fraction <= 1)).toBe(true);
      expect(new Set(reports.map(([, stage]) => stage)).size).toBeGreaterThan(1);
      expect(pelt.loadCharacter(mushed).vertexCount).toBe(hero.vertexCount);
      pelt.dispose();
    });

    it("ends with an AbortError soon after the abort, and the instance goes on working", async () => {
      const pelt = await createPelt({ worker }),
        hero = pelt.loadCharacter(bytes),
        control = new AbortController();
      let aborted = 0;
      const onProgress = (fraction: number, stage: string) => {
        if (aborted === 0 && stage !== "load" && fraction > 0.2) {
          aborted = performance.now();
          control.abort();
        }
      };
      await expect(hero.mush({ signal: control.signal, onProgress })).rejects.toMatchObject({ name: "AbortError" });
      expect(aborted).toBeGreaterThan(0);
      expect(performance.now() - aborted).toBeLessThan(1000); // 100 ms on an idle machine: see npm run bench
      await expect(hero.mush({ signal: control.signal })).rejects.toMatchObject({ name: "AbortError" });
      const { report } = await hero.bind({ method: "rigid" });
      expect(report.verb).toBe("bind");
      pelt.dispose();
    });

    it("refuses with the program's sentence", async () => {
      const pelt = await createPelt({ worker }),
        hero = pelt.loadCharacter(bytes);
      const refused = await hero.mush({ alpha: 2 }).catch((error) => error);
      expect(refused).toBeInstanceOf(PeltError);
      expect(refused.code).toBe("bad_usage");
      expect(refused.message).toContain("from 0 to below 1");
      await expect(hero.mush({ alhpa: 0.5 })).rejects.toThrow("has no option 'alhpa'; did you mean 'alpha'?");
      pelt.dispose();
    });
  });

describe("a worker", () => {
  it("runs calls one after the other and gives what the calling thread gives", async () => {
    const here = await createPelt(),
      there = await createPelt({ worker: true });
    const file = read(sample("arm", "--resolution=2000")),
      a = here.loadCharacter(file),
      b = there.loadCharacter(file);
    const [first, second, both] = await Promise.all([
      b.mush({ kappa: 1 }),
      b.bind({ method: "rigid" }),
      a.mush({ kappa: 1 }),
    ]);
    expect(first.bytes).toEqual(both.bytes);
    expect(second.report.verb).toBe("bind");
    there.dispose();
  });

  it("ends what still runs when the instance is disposed", async () => {
    const pelt = await createPelt({ worker: true }),
      running = pelt.loadCharacter(bytes).mush();
    setTimeout(() => pelt.dispose(), 50);
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
  });
});

describe("a deformer", () => {
  it("can be aborted while it is prepared", async () => {
    const pelt = await createPelt(),
      hero = pelt.loadCharacter(bytes),
      control = new AbortController();
    expect(() => hero.deformer("ddm", { signal: control.signal, onProgress: () => control.abort() })).toThrow(
      expect.objectContaining({ name: "AbortError" }),
    );
    hero.deformer("ddm").dispose();
  });
});
