/**
 * Draws `docs/viewer.png`, the picture of the viewer in the README: a recorded conversation in the page as it is now.
 *
 *     node scripts/viewer-picture.ts
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findChromium, startChromium } from "../test/support/chromium.ts";
import { otherLogs, researchLog } from "../test/support/viewer-logs.ts";
import { ViewerServer } from "../test/support/viewer-server.ts";
import { BundledPackages } from "./packages.ts";
import { bundleViewer } from "./viewer.ts";

/** Bytes that a picture of a README may have. */
const max = 300_000;

const chromium = findChromium();
if ("missing" in chromium) throw new Error(`a browser is needed: ${chromium.missing}`);
const folder = mkdtempSync(join(tmpdir(), "harn-picture-"));
await bundleViewer(folder, new BundledPackages());
const server = new ViewerServer(join(folder, "viewer"));
const browser = await startChromium(chromium.path);
try {
  server.logs.set("c_1", researchLog());
  for (const [id, log] of otherLogs()) server.logs.set(id, log);
  await server.listen();
  const file = join(import.meta.dirname, "../docs/viewer.png");
  const page = await browser.newPage({
    viewport: { width: 1280, height: 880 },
    colorScheme: "light",
    reducedMotion: "reduce",
    timezoneId: "UTC",
    locale: "en-GB",
  });
  await page.clock.setFixedTime(new Date(researchLog().events.at(-1)?.at ?? 0));
  await page.goto(`${server.url}/c/c_1`);
  await page.locator(".row", { hasText: "May run_code run?" }).first().waitFor();
  await page.locator(".feed").evaluate((feed) => {
    feed.scrollTop = 0;
  });
  await page.locator(".row", { hasText: "quote matching" }).first().waitFor();
  await page.getByRole("button", { name: "Unfold research" }).first().click();
  await page.locator(".row", { hasText: "web_fetch" }).first().waitFor();
  await page
    .locator(".row-turn")
    .nth(1)
    .evaluate((row) => row.scrollIntoView({ block: "start" }));
  await page.mouse.move(640, 5);
  await page.screenshot({ path: file });
  const { size } = statSync(file);
  if (size > max) throw new Error(`${file} has ${size} bytes, more than ${max}`);
  console.log(`${file}: ${size} bytes`);
} finally {
  await browser.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}
