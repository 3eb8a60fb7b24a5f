/**
 * Bundles `viewer/` for the browser.
 *
 *   dist/viewer/index.html          the page, with the names of its files
 *   dist/viewer/assets/NAME-HASH.*  its scripts, lazy chunks and style: named by content, so a browser keeps them for ever
 *   dist/viewer/report.js           everything in one classic script, and
 *   dist/viewer/report.css          its style: what a report of a run that is one file takes in (docs/viewer.md)
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type OutputOptions, type RolldownOptions, type RolldownOutput, rolldown } from "rolldown";
import type { BundledPackages } from "./packages.ts";

const root = join(import.meta.dirname, "..");
const source = join(root, "viewer");

export async function bundleViewer(folder: string, packages: BundledPackages): Promise<void> {
  const to = join(folder, "viewer");
  const [page] = await Promise.all([pageScripts(to, packages), reportScript(to, packages)]);
  const style = readStyle();
  const styleName = `assets/style-${digest(style)}.css`;
  writeFileSync(join(to, styleName), style);
  writeFileSync(join(to, "report.css"), style);
  writeFileSync(join(to, "index.html"), indexHtml(entry(page, "app"), entry(page, "worker"), styleName));
}

async function pageScripts(to: string, packages: BundledPackages): Promise<RolldownOutput> {
  return await write(
    { ...common(packages), input: { app: join(source, "main.tsx"), worker: join(source, "net/worker.ts") } },
    {
      dir: to,
      format: "esm",
      entryFileNames: "assets/[name]-[hash].js",
      chunkFileNames: "assets/[name]-[hash].js",
    },
  );
}

async function reportScript(to: string, packages: BundledPackages): Promise<RolldownOutput> {
  return await write(
    { ...common(packages), input: { report: join(source, "main.tsx") } },
    { dir: to, format: "iife", entryFileNames: "[name].js", codeSplitting: false },
  );
}

const common = (packages: BundledPackages): RolldownOptions => ({
  platform: "browser",
  transform: { target: "es2024", jsx: { runtime: "automatic" } },
  resolve: { mainFields: ["module", "main"] },
  plugins: [packages.plugin],
  logLevel: "warn",
});

async function write(input: RolldownOptions, output: OutputOptions): Promise<RolldownOutput> {
  const bundle = await rolldown(input);
  const written = await bundle.write({
    ...output,
    minify: true,
    comments: { legal: false, annotation: false, jsdoc: false },
    sourcemap: false,
  });
  await bundle.close();
  return written;
}

function entry(bundle: RolldownOutput, name: string): string {
  const file = bundle.output.find((one) => one.type === "chunk" && one.isEntry && one.name === name);
  if (file === undefined) throw new Error(`the viewer's bundle has no entry ${name}`);
  return file.fileName;
}

/** All sheets in the order of their names, without comments and indentation. */
function readStyle(): string {
  const folder = join(source, "style");
  mkdirSync(folder, { recursive: true });
  return readdirSync(folder)
    .filter((name) => name.endsWith(".css"))
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/^\s+/gm, "");
}

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 8);

/** No script and no style in the text: the policy of the page allows none. */
function indexHtml(app: string, worker: string, style: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="harn-worker" content="/${worker}">
<title>Harn</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230b6bcb'/%3E%3Cpath d='M5 4v8M11 4v8M5 8h6' stroke='white' stroke-width='1.6' stroke-linecap='round'/%3E%3C/svg%3E">
<link rel="stylesheet" href="/${style}">
<script type="module" src="/${app}"></script>
</head>
<body><div id="app"></div><noscript>This page needs JavaScript.</noscript></body>
</html>
`;
}
