/** The machine's own list of programs holds this one; what a system does not tell is an empty list. */
import { describe, expect, it } from "vitest";
import { nodeSensors } from "../../../src/host/node/node-sensors.ts";

describe("sensors", () => {
  it.runIf(process.platform === "linux")("list this process with its parent and memory", () => {
    const own = nodeSensors.processes().find(({ pid }) => pid === process.pid);
    expect(own).toMatchObject({ parent: process.ppid });
    expect(own?.name).not.toBe("");
    expect(own?.memory).toBeGreaterThan(1_000_000);
  });

  it("never fail, whatever the machine has", () => {
    for (const { name, memoryTotal } of nodeSensors.gpus()) {
      expect(name).not.toBe("");
      if (memoryTotal !== undefined) expect(memoryTotal).toBeGreaterThan(0);
    }
    for (const { celsius } of nodeSensors.temperatures()) expect(Number.isFinite(celsius)).toBe(true);
  });
});
