/** The suite: unit, property, golden, diagnostics, replay and example tests. None needs network, key or real time. */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    setupFiles: ["test/support/property-seed.ts"],
    // A test that hangs is ended; generous, because a busy machine is no reason to fail.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: "forks",
    reporters: process.env.CI ? ["default", "json"] : ["default"],
    outputFile: { json: ".ci/results.json" },
  },
});
