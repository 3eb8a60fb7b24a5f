/** `harn paper`: writing projects in the terminal. */
import { showOneLine } from "../../diagnostics/index.ts";
import type { FlagsOf } from "../../host/command/flags.ts";
import { exitCode, print, reportAsJson, reportFailure, UsageError } from "../../host/command/index.ts";
import { readText } from "../../program/index.ts";
import { isStale } from "../../writing/durable/index.ts";
import { changePapers, exportableOf, lookAtPapers, noPaper, paperNamed } from "../../writing/local/index.ts";
import { checkPaper, type Finding, referencesOfBibtex, strictKinds } from "../../writing/text/index.ts";
import type { paperFlags } from "../flags/papers.ts";

type PaperFlags = FlagsOf<typeof paperFlags>;

/** Titles may come from a model: one line each, without escapes. */
const line = (text: string): void => print(`${showOneLine(text)}\n`);
const listedTitle = (title: string): string => (title.length > 100 ? `${title.slice(0, 99)}…` : title);
const minuteText = (at: number): string => new Date(at).toISOString().slice(0, 16).replace("T", " ");

export function listPapers(flags: PaperFlags): number {
  const found = lookAtPapers(
    (papers) => papers.stored.list({ limit: 1_000 }),
    () => [],
  );
  if (flags.json === true) for (const one of found) reportAsJson(one);
  else if (found.length === 0) print("there is no paper yet\n");
  else
    for (const { id, title, state, version, changed } of found)
      line(`${id}  ${minuteText(changed)}  ${state}  v${version}  ${listedTitle(title)}`);
  return exitCode.ok;
}

export function showPaper(id: string, flags: PaperFlags): number {
  const { paper, sections, references } = lookAtPapers(
    (papers) => paperNamed(papers, id),
    () => noPaper(id),
  );
  if (flags.json === true) {
    reportAsJson({ ...paper, sections, references }, 2);
    return exitCode.ok;
  }
  line(`${paper.title}  (${paper.state}, version ${paper.version})`);
  for (const { depth, label, title, state, body } of sections)
    line(`${"  ".repeat(depth)}${title}  @sec:${label}  ${state}, ${body.length} characters`);
  for (const { key, verified, item } of references)
    line(`  [@${key}]  ${verified ? "verified" : "unverified"}  ${String(item.title ?? "")}`);
  return exitCode.ok;
}

export const findingLine = ({ kind, section, offset, text }: Finding): string =>
  showOneLine(`${kind}  ${section === "" ? "paper" : `${section}:${offset}`}  ${text}`);

export const hasStrict = (findings: readonly Finding[]): boolean =>
  findings.some(({ kind }) => strictKinds.includes(kind));

export function checkPaperCommand(id: string, flags: PaperFlags): number {
  const findings = lookAtPapers(
    (papers, desk, store) => checkPaper(exportableOf(paperNamed(papers, id), desk, store)),
    () => noPaper(id),
  );
  if (flags.json === true) reportAsJson({ findings }, 2);
  else if (findings.length === 0) print("nothing is wrong with it\n");
  else for (const finding of findings) print(`${findingLine(finding)}\n`);
  return flags.strict === true && hasStrict(findings) ? exitCode.failed : exitCode.ok;
}

export function paperVersions(id: string, flags: PaperFlags): number {
  const found = lookAtPapers(
    (papers) => papers.stored.versions({ id: paperNamed(papers, id).paper.id, before: null, limit: 10_000 }),
    () => noPaper(id),
  );
  for (const one of found) {
    if (flags.json === true) reportAsJson(one);
    else
      line(
        `${one.n}  ${minuteText(one.at)}  ${one.op}  ${one.by}${one.note === null ? "" : `  ${one.note}`}`,
      );
  }
  return exitCode.ok;
}

export function restorePaper(id: string, n: string): number {
  if (!/^[1-9]\d{0,8}$/.test(n)) throw new UsageError(`${n} is not the number of a version`, "HARN-CLI-003");
  const made = changePapers((papers) => {
    const { paper } = paperNamed(papers, id);
    return papers.by({ by: "terminal" }).restore({ id: paper.id, n: Number(n), version: null });
  });
  if (!isStale(made)) line(`version ${made.version} is like version ${n}`);
  return exitCode.ok;
}

export function importReferences(id: string, file: string): number {
  const { references, problems } = referencesOfBibtex(readText(file));
  for (const { line: at, message } of problems)
    reportFailure(new UsageError(`${file}:${at}: ${message}`, "HARN-CLI-006"));
  if (references.length > 0) {
    const { keys } = changePapers((papers) =>
      papers.importReferences(paperNamed(papers, id).paper.id, references, { by: "terminal" }),
    );
    line(`${keys.length} references: ${keys.join(", ")}`);
  } else if (problems.length === 0)
    throw new UsageError(`${file}: there is no BibTeX entry in it`, "HARN-CLI-006");
  return problems.length > 0 || references.length === 0 ? exitCode.failed : exitCode.ok;
}
