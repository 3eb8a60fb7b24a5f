import { describe, expect, it } from "vitest";
import { findChromium } from "../../support/chromium.ts";

describe("tests in a browser, where there is none", () => {
  it("are skipped with the reason on a machine of one's own", () => {
    expect(findChromium({ PATH: "/nowhere" })).toEqual({
      missing: "no chromium in PATH and no HARN_TEST_BROWSER",
    });
  });

  it("fail in CI, where a green run means that the pages were looked at", () => {
    expect(() => findChromium({ PATH: "/nowhere", CI: "true" })).toThrow(/HARN_NO_BROWSER=1/);
    expect(() => findChromium({ HARN_TEST_BROWSER: "/nowhere/x", CI: "true" })).toThrow(/can't be run/);
  });

  it("are skipped in CI too where HARN_NO_BROWSER=1 says so", () => {
    expect(findChromium({ PATH: "/nowhere", CI: "true", HARN_NO_BROWSER: "1" })).toHaveProperty("missing");
  });
});
