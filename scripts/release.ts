/**
 * `npm run release`: everything that a release needs but the publishing, which a person does with the tarball that this leaves in `dist.release/`.
 *
 *   version     package.json, the program and the first section of docs/changes.md say the same
 *   tarball     built and packed twice: equal to the last byte
 *   notices     of every package whose code is in it, and our licence
 *   smoke       the packed package, installed, under the oldest Node that it promises and under this one
 *
 * Ends with 1 when something is wrong. Nothing is sent anywhere.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Packed, packInto } from "./pack.ts";
import { smoke } from "./package-smoke.ts";

const root = join(import.meta.dirname, "..");
/** The oldest that `engines` of package.json allows: `>=22.22`. */
const oldestNode = (): string => `${packageFile().engines.node.replace(">=", "")}.0`;

interface Part {
  readonly name: string;
  /** What is wrong, in lines. */
  readonly problems: readonly string[];
  /** What a person wants to know. */
  readonly said: string;
}

export async function release(folder: string): Promise<readonly Part[]> {
  const { version } = packageFile();
  const first = await packed(folder);
  const again = await packed(mkdtempSync(join(tmpdir(), "harn-release-")));
  try {
    return [
      { name: "version", said: version, problems: versionProblems() },
      {
        name: "tarball",
        said: `${first.tarball}, ${sizes(first)}, sha256 ${digest(first.tarball)}`,
        problems: differences(first, again),
      },
      { name: "notices", said: "in it", problems: noticeProblems(first) },
      smokePart(first, version, process.execPath, process.version),
      await oldestPart(first, version),
    ];
  } finally {
    rmSync(join(again.tarball, ".."), { recursive: true, force: true });
  }
}

/** From a bundle made anew: what only lay in `dist/` can't get in. */
async function packed(folder: string): Promise<Packed> {
  const built = spawnSync(process.execPath, [join(root, "scripts/build.ts")], { encoding: "utf8" });
  if (built.status !== 0) throw new Error(`the build fails:\n${built.stdout}${built.stderr}`);
  return await packInto(folder);
}

const packageFile = (): { version: string; engines: { node: string } } =>
  JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** What says another version than package.json. */
export function versionProblems(): readonly string[] {
  const { version } = packageFile();
  const changes = readFileSync(join(root, "docs/changes.md"), "utf8");
  const newest = /^## (\S+)/m.exec(changes)?.[1];
  return [
    ...(/^\d+\.\d+\.\d+$/.test(version) ? [] : [`package.json: ${version} is not a version to publish`]),
    ...(newest === version
      ? []
      : [`docs/changes.md: its first section is ${newest}, the package is ${version}`]),
  ];
}

const sizes = ({ size, unpackedSize, files }: Packed): string =>
  `${files.length} files, ${(size / 1e6).toFixed(1)} MB, unpacked ${(unpackedSize / 1e6).toFixed(1)} MB`;

const digest = (file: string): string => createHash("sha256").update(readFileSync(file)).digest("hex");

/** What is not the same in two tarballs of the same sources. */
export function differences(first: Packed, again: Packed): readonly string[] {
  if (digest(first.tarball) === digest(again.tarball)) return [];
  const sizesOf = ({ files }: Packed): ReadonlyMap<string, number> =>
    new Map(files.map(({ path, size }) => [path, size]));
  const [one, two] = [sizesOf(first), sizesOf(again)];
  const names = new Set([...one.keys(), ...two.keys()]);
  const differing = [...names].filter((name) => one.get(name) !== two.get(name));
  return [`made twice it differs${differing.length > 0 ? ` in ${differing.join(", ")}` : ""}`];
}

const noticeProblems = ({ files }: Packed): readonly string[] =>
  ["LICENSE", "dist/THIRD_PARTY_NOTICES.txt"].flatMap((name) =>
    files.some(({ path }) => path === name) ? [] : [`${name} is not in it`],
  );

const smokePart = ({ tarball }: Packed, version: string, node: string, nodeVersion: string): Part => ({
  name: `smoke under Node ${nodeVersion}`,
  said: "works",
  problems: smoke(tarball, version, node),
});

/** The oldest Node comes from npm, as the one of this repository does. */
async function oldestPart(made: Packed, version: string): Promise<Part> {
  const folder = mkdtempSync(join(tmpdir(), "harn-node-"));
  const name = `node-${process.platform}-${process.arch}`;
  const oldest = oldestNode();
  try {
    const got = spawnSync(
      "npm",
      ["install", "--prefix", folder, "--no-audit", "--no-fund", "--no-save", `${name}@${oldest}`],
      {
        encoding: "utf8",
      },
    );
    const node = join(folder, "node_modules", name, "bin/node");
    if (got.status !== 0 || !existsSync(node))
      return {
        name: `smoke under Node ${oldest}`,
        said: `left out: npm gives no ${name}@${oldest} here`,
        problems: [],
      };
    return smokePart(made, version, node, `v${oldest}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const parts = await release(join(root, "dist.release")).catch((error: Error): readonly Part[] => [
    { name: "release", said: "", problems: [error.message] },
  ]);
  for (const { name, said, problems } of parts)
    console.log([`${name}: ${problems.length === 0 ? said : "wrong"}`, ...problems].join("\n  "));
  console.log("Nothing was published.");
  if (parts.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
}
