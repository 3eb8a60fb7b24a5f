/** `harn export`: papers, conversations and runs as files. */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { headOfText } from "../../events/wire/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import {
  exitCode,
  exportedText,
  inStoreOr,
  print,
  reportError,
  reportFailure,
  UsageError,
} from "../../host/command/index.ts";
import { nodeFiles } from "../../host/index.ts";
import { ownPath } from "../../process/index.ts";
import type { DurableEnvelope } from "../../server/index.ts";
import { findingsOfPdf, type Pdf, PdfError, pdfOf } from "../../server/pdf/index.ts";
import { Conversations } from "../../threads/index.ts";
import { exportAs, formatFacts, type MadeFormat, type PaperFormat } from "../../writing/formats/index.ts";
import { exportableOf, lookAtPapers, noPaper, paperNamed } from "../../writing/local/index.ts";
import type { ExportFile, Finding, Paper } from "../../writing/text/index.ts";
import type { exportPaperFlags } from "../flags/papers.ts";
import { findingLine, hasStrict } from "./paper-command.ts";

type PaperExportFlags = FlagsOf<typeof exportPaperFlags>;

export async function exportPaperCommand(id: string, flags: PaperExportFlags): Promise<number> {
  const paper = lookAtPapers(
    (papers, desk, store) => exportableOf(paperNamed(papers, id), desk, store),
    () => noPaper(id),
  );
  const format = flags.to as PaperFormat;
  const { binary, folder } = formatFacts[format];
  if (flags.engine !== undefined && format !== "pdf")
    throw new UsageError(`--engine is for --to pdf; ${format} needs none`);
  if (binary && flags.output === undefined)
    throw new UsageError(`a paper as ${format} is written into a file: name it with --output`);
  const { files, findings } = await exportAs(paper, format === "pdf" ? "latex" : format);
  if (flags.strict === true && hasStrict(findings)) {
    reportFindings(findings);
    throw new UsageError("nothing was written: citations do not hold (--strict)", "HARN-CLI-008");
  }
  if (format !== "pdf") {
    reportFindings(findings);
    give(files, flags.output, folder);
    return exitCode.ok;
  }
  const html = async () => (await exportAs(paper, "html")).files;
  const pdf = await printedPdf({ latex: async () => files, html }, flags.engine);
  reportFindings(findingsOfPdf(findings, pdf));
  if (pdf.missing.length > 0)
    reportError(
      `harn export: ${pdf.engine} has no glyph for these characters, the PDF does not show them: install a font that has them, or try another --engine\n`,
    );
  writeInto(flags.output as string, pdf.bytes);
  return exitCode.ok;
}

function reportFindings(findings: readonly Finding[]): void {
  for (const finding of findings) reportError(`harn export: ${findingLine(finding)}\n`);
}

async function printedPdf(...args: Parameters<typeof pdfOf>): Promise<Pdf> {
  try {
    return await pdfOf(...args);
  } catch (error) {
    throw error instanceof PdfError ? new UsageError(error.message, "HARN-CLI-008") : error;
  }
}

/** LaTeX is a folder: the paper, its references, its figures. */
function give(files: readonly ExportFile[], output: string | undefined, isFolder: boolean): void {
  const [first] = files;
  const shown = (content: string | Uint8Array): string | Uint8Array =>
    typeof content === "string" ? exportedText(content) : content;
  if (output === undefined) print(String(shown(first?.content ?? "")));
  else if (isFolder) for (const { path, content } of files) writeInto(join(output, path), shown(content));
  else writeInto(output, shown(first?.content ?? ""));
}

function writeInto(file: string, content: string | Uint8Array): void {
  try {
    mkdirSync(ownPath(dirname(file)), { recursive: true });
    nodeFiles.write(ownPath(file), content);
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? "it failed";
    throw new UsageError(`can't write ${file}: ${why}`, "HARN-CLI-007");
  }
}

export async function exportConversation(id: string, flags: PaperExportFlags): Promise<number> {
  const missing = (): never => {
    throw new UsageError(`there is no conversation ${id}`, "HARN-CLI-005");
  };
  const { record, entries } = inStoreOr(missing, (store) => {
    const conversations = new Conversations(store);
    return {
      record: conversations.get({ id }) ?? missing(),
      entries: conversations.history({ id }).entries,
    };
  });
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
  const paper = saidAsPaper(
    record.title,
    messages.map((message) => ({
      title: String((message as { readonly role?: unknown }).role ?? "message"),
      body: contentWords((message as { readonly content?: unknown }).content),
    })),
  );
  const { files } = await exportAs(paper, flags.to as MadeFormat);
  give(files, flags.output, false);
  return exitCode.ok;
}

/** A recorded run: what `harn view` shows of it. */
export async function exportRunReport(id: string, flags: PaperExportFlags): Promise<number> {
  const { recordedRun, runReportPage } = await import("../view/view-command.ts");
  const recorded = await recordedRun(id);
  if (recorded === undefined) return exitCode.failed;
  const { run, title, events, problem } = recorded;
  if (problem !== undefined) reportFailure(problem);
  if (flags.to === "html")
    give([{ path: `${run}.html`, content: runReportPage(recorded) }], flags.output, false);
  else if (flags.to === "json") {
    const content = `${JSON.stringify({ id: run, title, events }, null, 2)}\n`;
    give([{ path: `${run}.json`, content }], flags.output, false);
  } else {
    const { files } = await exportAs(saidAsPaper(`${title} · ${run}`, saidIn(events)), "md");
    give(files, flags.output, false);
  }
  return problem === undefined ? exitCode.ok : exitCode.failed;
}

/** What was said and done in a run, in order. */
function saidIn(events: readonly DurableEnvelope[]): SectionText[] {
  return events.flatMap((event): SectionText[] => {
    const where =
      event.loop === null
        ? ""
        : event.turn === 0
          ? ` (${event.loop})`
          : ` (${event.loop}, turn ${event.turn})`;
    if (event.type === "message.end" && event.data.role !== "tool" && event.data.text !== "")
      return [{ title: `${event.data.role}${where}`, body: headOfText(event.data.text) }];
    if (event.type !== "tool.end") return [];
    const { name, status, result, error } = event.data;
    return [{ title: `${name}: ${status}${where}`, body: fencedBlock(error ?? headOfText(result)) }];
  });
}

interface SectionText {
  readonly title: string;
  readonly body: string;
}

const saidAsPaper = (title: string, said: readonly SectionText[]): Paper => ({
  title,
  authors: [],
  abstract: "",
  language: "en",
  citationStyle: "numeric",
  sections: said.map((one, at) => ({ id: `m${at}`, depth: 1, label: `m${at}`, ...one })),
  references: [],
});

/** A block of code whose fence the text can't end. */
function fencedBlock(text: string, language = ""): string {
  const longest = Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Texts as they are, anything else as JSON in a block of code. */
function contentWords(content: unknown): string {
  if (typeof content === "string") return content;
  return content === undefined || content === null
    ? ""
    : fencedBlock(JSON.stringify(content, null, 2), "json");
}
