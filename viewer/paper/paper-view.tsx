/** A paper: outline, sections that are read or written, references, findings, versions, exports. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { FindingRecord, PaperRecord } from "../../src/server/protocol/index.ts";
import { client, HarnProblem, once } from "../net/api.ts";
import { Failure } from "../parts/failure.tsx";
import { NotHere } from "../parts/not-here.tsx";
import { Safe } from "../parts/text.tsx";
import { mayWrite } from "../session.ts";
import { count } from "../text/format.ts";
import { ExportButtons } from "./export-buttons.tsx";
import { inOrder } from "./order.ts";
import { Outline } from "./outline.tsx";
import { References } from "./references.tsx";
import { SectionPanel } from "./section-panel.tsx";
import { Versions } from "./versions.tsx";

type Part = "sections" | "references" | "findings" | "versions";
const parts: readonly Part[] = ["sections", "references", "findings", "versions"];

/** `changed`: loads anew when it is another number. */
export function PaperView({
  id,
  changed,
  heading = false,
}: {
  readonly id: string;
  readonly changed: number;
  readonly heading?: boolean;
}) {
  const paper = useSignal<PaperRecord | null>(null);
  const findings = useSignal<readonly FindingRecord[]>([]);
  const failure = useSignal<unknown>(null);
  const part = useSignal<Part>("sections");
  const chosen = useSignal<string | null>(null);
  const reference = useSignal<string | null>(null);
  const load = async (): Promise<void> => {
    try {
      paper.value = await client.paper(id);
      failure.value = null;
      findings.value = (await client.checkPaper(id)).findings;
    } catch (error) {
      failure.value = error;
    }
  };
  useEffect(() => void load(), [id, changed]);
  const known = paper.value;
  if (known === null) {
    if (failure.value === null) return <p class="empty">Loading …</p>;
    return failure.value instanceof HarnProblem && failure.value.status === 404 ? (
      <NotHere what="paper" back="/papers" words="All papers" />
    ) : (
      <Failure error={failure.value} />
    );
  }
  const rows = inOrder(known.sections);
  const section = rows.find((row) => row.section.id === chosen.value)?.section ?? null;
  const move = async (sectionId: string, parent: string | null, position: number): Promise<void> => {
    try {
      await client.moveSection(id, sectionId, { parent, position }, once());
      await load();
    } catch (error) {
      failure.value = error;
    }
  };
  const titleOf = (sectionId: string): string =>
    known.sections.find((one) => one.id === sectionId)?.title ?? "the paper";
  return (
    <div class="paper">
      <header class="paper-head">
        {heading ? (
          <h1>
            <Safe text={known.title} />
          </h1>
        ) : (
          <h2>
            <Safe text={known.title} />
          </h2>
        )}
        <span class="facts-line">
          {known.authors.length === 0 ? null : <span>{known.authors.join(", ")}</span>}
          <span>{known.state}</span>
          <span>version {known.version}</span>
          {heading && known.conversation !== null ? (
            <a href={`/c/${encodeURIComponent(known.conversation)}?tab=paper`}>conversation</a>
          ) : null}
        </span>
        <ExportButtons paper={known} />
      </header>
      {failure.value === null ? null : <Failure error={failure.value} />}
      <fieldset class="switch">
        <legend class="unseen">Part of the paper</legend>
        {parts.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={part.value === one}
            onClick={() => (part.value = one)}
          >
            {one}
            {one === "findings" && findings.value.length > 0 ? (
              <span class="count">{findings.value.length}</span>
            ) : null}
            {one === "references" ? <span class="count">{known.references.length}</span> : null}
          </button>
        ))}
      </fieldset>
      {part.value === "sections" ? (
        <div class="paper-body">
          <Outline
            rows={rows}
            chosen={chosen.value}
            onChoose={(one) => (chosen.value = one)}
            onMove={mayWrite.value ? move : null}
          />
          <SectionPanel
            key={chosen.value ?? ""}
            paper={known}
            rows={rows}
            section={section}
            onSaved={() => void load()}
            onCitation={(key) => {
              reference.value = key;
              part.value = "references";
            }}
          />
        </div>
      ) : part.value === "references" ? (
        <References
          paper={known}
          shown={reference.value}
          onShown={() => (reference.value = null)}
          onChanged={() => void load()}
        />
      ) : part.value === "versions" ? (
        <Versions id={id} version={known.version} onRestored={() => void load()} />
      ) : findings.value.length === 0 ? (
        <p class="empty">Nothing to complain about.</p>
      ) : (
        <ul class="plain-list">
          {findings.value.map((finding, at) => (
            <li key={at} class="finding">
              <b>{finding.kind.replaceAll("-", " ")}</b>{" "}
              <code>
                <Safe text={finding.text} />
              </code>{" "}
              <button
                type="button"
                class="plain"
                onClick={() => {
                  chosen.value = finding.section === "" ? null : finding.section;
                  part.value = "sections";
                }}
              >
                in {titleOf(finding.section)}
              </button>
            </li>
          ))}
          <li class="soft">{count(findings.value.length, "finding")}</li>
        </ul>
      )}
    </div>
  );
}
