/** The suite: unit, property, golden, diagnostics, replay and example tests. None needs network, key or real time. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/support/property-seed.ts"],
    // Only what hangs ends by these: on a busy machine starting the command line alone takes seconds, and some tests do it
    // thirty times.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: "forks",
    reporters: process.env.CI ? ["default", "json"] : ["default"],
    outputFile: { json: ".ci/results.json" },
  },
});
