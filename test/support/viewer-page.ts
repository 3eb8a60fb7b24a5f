/** A page of the viewer in a browser of its own, watched: an error on the console or a report of its policy fails the test. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { projectRoot } from "./project.ts";

/** Errors that the browser itself writes for answers of the server; what the page says of them is looked at in the page. */
const ofAnswers = /^Failed to load resource: /;

export interface Watched {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What went wrong so far. */
  readonly errors: string[];
  /** Requests that left for another place than the server's. */
  readonly outside: string[];
  close(): Promise<void>;
}

export async function watchedPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  // Only what hangs ends by it: a page on a busy machine is slow, not broken.
  context.setDefaultTimeout(300_000);
  const page = await context.newPage();
  const errors: string[] = [];
  const outside: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !ofAnswers.test(message.text())) errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(String(error.stack ?? error)));
  page.on("dialog", (dialog) => {
    errors.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!/^(http:\/\/127\.0\.0\.1:|data:|blob:|file:)/.test(request.url())) outside.push(request.url());
  });
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', (e) => console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI + ' ' + e.sample))",
  );
  return { page, context, errors, outside, close: () => context.close() };
}

/** Runs `test` with a page, and looks at what went wrong; a failure leaves a screenshot and the console in `.ci/browser/`. */
export async function withPage(
  browser: Browser,
  name: string,
  test: (watched: Watched) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  const watched = await watchedPage(browser, options);
  try {
    await test(watched);
    if (watched.errors.length > 0) throw new Error(`the page complains:\n${watched.errors.join("\n")}`);
    if (watched.outside.length > 0) throw new Error(`the page asks others:\n${watched.outside.join("\n")}`);
  } catch (error) {
    const folder = join(projectRoot, ".ci/browser");
    const file = join(folder, name.replaceAll(/[^a-z0-9]+/gi, "-"));
    mkdirSync(folder, { recursive: true });
    await watched.page.screenshot({ path: `${file}.png` }).catch(() => {});
    writeFileSync(`${file}.txt`, `${watched.errors.join("\n")}\n${String((error as Error).stack)}`);
    throw error;
  } finally {
    await watched.close();
  }
}
