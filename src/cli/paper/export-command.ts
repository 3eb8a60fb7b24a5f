/** `harn export`: papers and conversations as files. */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { nodeFiles } from "../../host/index.ts";
import { existingStore } from "../../store/index.ts";
import { Conversations } from "../../threads/index.ts";
import { type ExportFile, exportPaper, type Paper, type TextFormat } from "../../writing/text/index.ts";
import { exitCode } from "../exit-codes.ts";
import { reportError, tell } from "../report.ts";
import { explained, ownStateFolder } from "../state.ts";
import { UsageError } from "../usage-error.ts";
import type { ExportFlags } from "./flag-types.ts";
import { findingLine, hasStrict } from "./paper-command.ts";
import { exportableOf, lookAtPapers, noPaper, paperNamed } from "./paper-store.ts";
import { pdfOf } from "./pdf.ts";

export async function exportPaperCommand(id: string, flags: ExportFlags): Promise<number> {
  const paper = lookAtPapers(
    (papers, desk, store) => exportableOf(paperNamed(papers, id), desk, store),
    () => noPaper(id),
  );
  const isPdf = flags.to === "pdf";
  const { files, findings } = await exportPaper(paper, isPdf ? "latex" : (flags.to as TextFormat));
  for (const finding of findings) reportError(`harn export: ${findingLine(finding)}\n`);
  if (flags.strict === true && hasStrict(findings)) {
    reportError("harn export: nothing was written: citations do not hold (--strict)\n");
    return exitCode.failed;
  }
  if (isPdf) {
    if (flags.output === undefined)
      throw new UsageError("a PDF is written into a file: name it with --output");
    writeInto(flags.output, await pdfOf(files, async () => (await exportPaper(paper, "html")).files));
    return exitCode.ok;
  }
  give(files, flags.output, flags.to === "latex");
  return exitCode.ok;
}

/** LaTeX is a folder: the paper, its references, its figures. */
function give(files: readonly ExportFile[], output: string | undefined, isFolder: boolean): void {
  const [first] = files;
  if (output === undefined) tell(String(first?.content ?? ""));
  else if (isFolder) for (const { path, content } of files) writeInto(join(output, path), content);
  else writeInto(output, first?.content ?? "");
}

function writeInto(file: string, content: string | Uint8Array): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    nodeFiles.write(file, content);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? "it failed";
    throw new UsageError(`can't write ${file}: ${why}`, exitCode.failed);
  }
}

export async function exportConversation(id: string, flags: ExportFlags): Promise<number> {
  const found = explained(() => {
    const store = existingStore(ownStateFolder());
    try {
      const conversations = store === undefined ? undefined : new Conversations(store);
      const record = conversations?.get(id);
      if (record === undefined || conversations === undefined)
        throw new UsageError(`there is no conversation ${id}`, exitCode.failed);
      return { record, entries: conversations.history(id).entries };
    } finally {
      store?.close();
    }
  });
  const { record, entries } = found;
  const messages = entries.map(({ id: entry, at, message }) => ({ id: entry, at, ...message }));
  if (flags.to === "json") {
    const { title, agent, mode, owner } = record;
    const value = { id, title, agent, mode, owner, messages };
    give(
      [{ path: "conversation.json", content: `${JSON.stringify(value, null, 2)}\n` }],
      flags.output,
      false,
    );
    return exitCode.ok;
  }
  const paper: Paper = {
    title: record.title,
    authors: [],
    abstract: "",
    language: "en",
    citationStyle: "numeric",
    sections: messages.map((message, at) => ({
      id: `m${at}`,
      depth: 1,
      title: String((message as { readonly role?: unknown }).role ?? "message"),
      label: `m${at}`,
      body: wordsOf((message as { readonly content?: unknown }).content),
    })),
    references: [],
  };
  const { files } = await exportPaper(paper, flags.to as TextFormat);
  give(files, flags.output, false);
  return exitCode.ok;
}

/** Texts as they are, anything else as JSON in a block of code. */
function wordsOf(content: unknown): string {
  if (typeof content === "string") return content;
  return content === undefined || content === null
    ? ""
    : `\`\`\`\`json\n${JSON.stringify(content, null, 2)}\n\`\`\`\``;
}
