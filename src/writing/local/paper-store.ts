/** The papers of the project's store, for commands. */
import { createHash, randomBytes } from "node:crypto";
import { readFileSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { EmbeddedOperations, type WholePaper } from "../../durable/index.ts";
import { inStore, inStoreOr, UsageError } from "../../host/command/index.ts";
import { ownProcess } from "../../process/index.ts";
import type { Store } from "../../store/index.ts";
import { Conversations } from "../../threads/index.ts";
import { Papers, paperOf, uuid7From, WritingStore } from "../durable/index.ts";
import { imagePaths, type Paper } from "../text/index.ts";

const writingStoreIn = (store: Store): WritingStore =>
  new WritingStore(new EmbeddedOperations(store), {
    now: () => Date.now(),
    uuid: () => uuid7From(Date.now(), randomBytes(16)),
    sha256: (text) => createHash("sha256").update(text).digest("hex"),
  });

/** Looks at papers; nothing is made where there is no store yet. */
export function lookAtPapers<T>(
  look: (papers: Papers, desk: WritingStore, store: Store) => T,
  none: () => T,
): T {
  return inStoreOr(none, (store) => {
    const desk = writingStoreIn(store);
    return look(new Papers(desk), desk, store);
  });
}

export const changePapers = <T>(change: (papers: Papers) => T): T =>
  inStore((store) => change(new Papers(writingStoreIn(store))));

export function noPaper(id: string): never {
  throw new UsageError(
    `there is no paper ${id}; \`harn paper list\` names those that there are`,
    "HARN-CLI-005",
  );
}

/** A paper by its id, or by the end or beginning of one that is the only such. */
export function paperNamed(papers: Papers, name: string): WholePaper {
  const exact = papers.stored.get({ id: name });
  if (exact !== undefined) return exact;
  const found = papers.stored
    .list({ limit: 1_000 })
    .filter(({ id }) => name.length >= 4 && (id.startsWith(name) || id.endsWith(name)));
  const [only] = found;
  if (only === undefined) return noPaper(name);
  if (found.length > 1)
    throw new UsageError(
      `${name} fits ${found.length} papers: ${found.map(({ id }) => id).join(", ")}`,
      "HARN-CLI-008",
    );
  return papers.mustGet(only.id);
}

const maxImage = 26_214_400;

/** With the texts of its sources, and the images of its workspace; outside of conversations of the working directory. */
export function exportableOf(whole: WholePaper, desk: WritingStore, store: Store): Paper {
  const { conversation } = whole.paper;
  const record = conversation === null ? undefined : new Conversations(store).get({ id: conversation });
  const workspace = record?.workspace ?? ownProcess().cwd();
  const paper = paperOf(whole, { sourceText: (id) => desk.sourceText(id) });
  const images = new Map<string, Uint8Array>();
  for (const path of imagePaths(paper)) {
    const bytes = imageIn(workspace, path);
    if (bytes !== undefined) images.set(path, bytes);
  }
  return { ...paper, images };
}

/** A file inside of the folder, links followed; undefined for anything else. */
function imageIn(folder: string, path: string): Uint8Array | undefined {
  try {
    const file = realpathSync(join(folder, path));
    if (!file.startsWith(realpathSync(folder) + sep)) return undefined;
    const { size } = statSync(file);
    return size > maxImage ? undefined : readFileSync(file);
  } catch {
    return undefined;
  }
}
