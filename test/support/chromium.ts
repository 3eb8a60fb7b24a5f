/**
 * A real Chromium for tests of pages: `HARN_TEST_BROWSER`, else the first that PATH has. `HARN_NO_BROWSER=1` has none. Under
 * `CI=true` its absence is an error: a green run there means that the pages were looked at.
 */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const names = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "microsoft-edge",
];

/** The program, or why there is none. Throws in CI, where there has to be one. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): { path: string } | { missing: string } {
  const found = lookForChromium(env);
  if ("missing" in found && env.CI === "true" && env.HARN_NO_BROWSER !== "1")
    throw new Error(
      `${found.missing}: install Debian's chromium, or set HARN_NO_BROWSER=1 to skip its tests`,
    );
  return found;
}

function lookForChromium(env: NodeJS.ProcessEnv): { path: string } | { missing: string } {
  if (env.HARN_NO_BROWSER === "1") return { missing: "HARN_NO_BROWSER=1 switches tests in a browser off" };
  const named = env.HARN_TEST_BROWSER;
  if (named !== undefined && named !== "") {
    return canRun(named) ? { path: named } : { missing: `HARN_TEST_BROWSER=${named} can't be run` };
  }
  const folders = (env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find(canRun);
  return found === undefined
    ? { missing: `no ${names[0]} in PATH and no HARN_TEST_BROWSER` }
    : { path: found };
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** As root, in containers, Chromium has no sandbox of its own. */
export const startChromium = async (path: string): Promise<Browser> =>
  await chromium.launch({
    executablePath: path,
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
