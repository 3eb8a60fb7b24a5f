/** The packages in a bundle: what their files are called, and the notices that their licences ask for. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin, PreRenderedChunk } from "rolldown";

/** What may be given on inside of a package under MIT. */
const licences = /^(MIT|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|Unlicense|BlueOak-1\.0\.0)$/;
const packageFolder = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;
/** Words of files that mean the package's own licence, in any case, with or without an ending. */
const licenceFile = /^(licen[sc]e|copying|unlicense)(-mit)?(\.(md|txt))?$/i;

/** `openai` for a chunk that begins with a package's file; undefined for one of ours. */
export function packageOf(chunk: Pick<PreRenderedChunk, "facadeModuleId" | "moduleIds">): string | undefined {
  if (chunk.moduleIds.some((id) => id.includes("/src/"))) return undefined;
  const from = chunk.facadeModuleId ?? chunk.moduleIds.at(-1);
  return from === undefined
    ? undefined
    : packageFolder.exec(from)?.[2]?.replace("@", "").replaceAll("/", "-");
}

/** The packages of which something went into a bundle. */
export class BundledPackages {
  private readonly folders = new Set<string>();

  readonly plugin: Plugin = {
    name: "bundled-packages",
    generateBundle: (_options, bundle) => {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== "chunk") continue;
        for (const id of chunk.moduleIds) this.note(id);
      }
    },
  };

  /** A module that went into it. */
  note(id: string): void {
    const folder = packageFolder.exec(id.replace(/^\0/, ""))?.[1];
    if (folder !== undefined) this.folders.add(folder);
  }

  /** What their licences ask for. A package without a licence text, or under another licence, fails the build. */
  notices(): string {
    const notices = new Set([...this.folders].map(noticeOf));
    return `harn holds code of these packages.\n\n${[...notices].sort().join("\n\n")}`;
  }
}

function noticeOf(folder: string): string {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (!licences.test(license))
    throw new Error(`${name} ${version} can't be bundled: its licence is ${license}`);
  const file = readdirSync(folder).find((one) => licenceFile.test(one));
  const text =
    (file === undefined ? statedLicence(folder) : readFileSync(join(folder, file), "utf8")) ??
    (license === "MIT" && typeof author === "string" ? mit(author) : undefined);
  if (text === undefined) throw new Error(`${name} ${version} can't be bundled: it has no licence text`);
  return `${"=".repeat(80)}\n${name} ${version} (${license})\n\n${text.trim()}\n`;
}

/** For a package that names its licence and its author, and leaves the text out: our own licence with their name. */
function mit(author: string): string {
  return readFileSync(join(import.meta.dirname, "../LICENSE"), "utf8").replace(
    /^Copyright .*$/m,
    `Copyright (c) ${author}`,
  );
}

/** Some packages have their licence as the last section of the README. */
function statedLicence(folder: string): string | undefined {
  const readme = join(folder, "README.md");
  if (!existsSync(readme)) return undefined;
  return /^#+ *licen[sc]e *\n([\s\S]+)/im.exec(readFileSync(readme, "utf8"))?.[1];
}
