/** A section, or the whole paper: read, or written. What somebody writes is never replaced by what the agent wrote. */
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { PaperRecord, SectionRecord } from "../../src/server/protocol/index.ts";
import { listedReferences } from "../../src/writing/text/citation-text.ts";
import type { PaperDocument } from "../../src/writing/text/document.ts";
import type { Block } from "../../src/writing/text/markdown/index.ts";
import { referenceLine } from "../../src/writing/text/references-text.ts";
import { Markdown, type MarkdownContext, Outward } from "../markdown/markdown.tsx";
import { client, fileAddress, HarnProblem } from "../net/api.ts";
import { Diff } from "../parts/diff.tsx";
import { Failure } from "../parts/failure.tsx";
import { Safe } from "../parts/text.tsx";
import { mayWrite } from "../session.ts";
import { age } from "../text/format.ts";
import { readPaper } from "./paper-text.ts";

export function SectionPanel({
  paper,
  rows,
  section,
  onSaved,
  onCitation,
}: {
  readonly paper: PaperRecord;
  readonly rows: readonly { readonly section: SectionRecord; readonly depth: number }[];
  readonly section: SectionRecord | null;
  readonly onSaved: () => void;
  readonly onCitation: (key: string) => void;
}) {
  const read = useMemo(() => readPaper(paper), [paper]);
  const { conversation } = paper;
  const context: MarkdownContext = {
    ...(conversation === null ? {} : { picture: (path: string) => fileAddress(conversation, path) }),
    ...(read === null ? {} : { paper: read, onCitation }),
  };
  const blocksOf = (id: string) => read?.sections.find((one) => one.section === id)?.blocks;
  if (section === null)
    return (
      <article class="sheet">
        {paper.abstract === "" ? null : (
          <>
            <h3>Abstract</h3>
            <Markdown text={paper.abstract} parsed={read?.abstract.blocks} context={context} />
          </>
        )}
        {rows.map((row) => (
          <section key={row.section.id}>
            <p class={`heading heading-${row.depth}`} role="heading" aria-level={Math.min(6, row.depth + 2)}>
              <Safe text={row.section.title} />
            </p>
            {row.section.body === "" ? (
              <p class="soft">{row.section.summary === "" ? "Not written yet." : row.section.summary}</p>
            ) : (
              <Markdown text={row.section.body} parsed={blocksOf(row.section.id)} context={context} />
            )}
          </section>
        ))}
        {read === null ? null : <ReferenceList paper={read} />}
      </article>
    );
  return (
    <SectionEditor
      section={section}
      paper={paper.id}
      parsed={blocksOf(section.id)}
      context={context}
      onSaved={onSaved}
    />
  );
}

/** What is cited, in the order and the words of an export. */
function ReferenceList({ paper }: { readonly paper: PaperDocument }) {
  const references = listedReferences(paper);
  if (references.length === 0) return null;
  const items = references.map(({ key, item }) => {
    const { text, url } = referenceLine(item);
    return (
      <li key={key}>
        <Safe text={text} />{" "}
        {url === "" ? null : (
          <Outward href={url}>
            <Safe text={url} />
          </Outward>
        )}
      </li>
    );
  });
  return (
    <section>
      <p class="heading heading-1" role="heading" aria-level={3}>
        References
      </p>
      {paper.paper.citationStyle === "numeric" ? <ol>{items}</ol> : <ul>{items}</ul>}
    </section>
  );
}

function SectionEditor({
  section,
  paper,
  parsed,
  context,
  onSaved,
}: {
  readonly section: SectionRecord;
  /** Its id. */
  readonly paper: string;
  readonly parsed: readonly Block[] | undefined;
  readonly context: MarkdownContext;
  readonly onSaved: () => void;
}) {
  /** What is written, and the version that was seen when it was begun. */
  const draft = useSignal<{ readonly body: string; readonly version: number; readonly from: string } | null>(
    null,
  );
  const compares = useSignal(false);
  const busy = useSignal(false);
  const failure = useSignal<unknown>(null);
  const { value } = draft;
  const isStale = value !== null && value.version !== section.version;
  const save = async (version: number): Promise<void> => {
    if (value === null || busy.value) return;
    busy.value = true;
    failure.value = null;
    try {
      await client.writeSection(paper, section.id, { body: value.body, version });
      draft.value = null;
      compares.value = false;
      onSaved();
    } catch (error) {
      failure.value = error;
      if (error instanceof HarnProblem && error.slug === "changed") {
        compares.value = true;
        onSaved();
      }
    }
    busy.value = false;
  };
  return (
    <article class="sheet">
      <div class="filters">
        <h3>
          <Safe text={section.title} />
        </h3>
        <span class="soft small">
          {section.state}, changed {age(section.changed)}
        </span>
        <span class="grow" />
        {!mayWrite.value ? null : value === null ? (
          <button
            type="button"
            onClick={() =>
              (draft.value = { body: section.body, version: section.version, from: section.body })
            }
          >
            Edit
          </button>
        ) : (
          <>
            <button
              type="button"
              class="primary"
              disabled={busy.value}
              onClick={() => void save(value.version)}
            >
              Save
            </button>
            <button type="button" class="plain" onClick={() => (draft.value = null)}>
              Discard
            </button>
          </>
        )}
      </div>
      {failure.value === null ? null : <Failure error={failure.value} />}
      {isStale ? (
        <div class="changed" role="status">
          Changed meanwhile.{" "}
          <button
            type="button"
            class="plain"
            aria-expanded={compares.value}
            onClick={() => (compares.value = !compares.value)}
          >
            Compare
          </button>
          <button type="button" class="plain" onClick={() => void save(section.version)}>
            Keep mine
          </button>
          <button type="button" class="plain" onClick={() => (draft.value = null)}>
            Take theirs
          </button>
        </div>
      ) : null}
      {isStale && compares.value && value !== null ? (
        <Diff before={section.body} after={value.body} label="Theirs against mine" />
      ) : null}
      {value === null ? (
        section.body === "" ? (
          <p class="soft">{section.summary === "" ? "Not written yet." : section.summary}</p>
        ) : (
          <Markdown text={section.body} parsed={parsed} context={context} />
        )
      ) : (
        <textarea
          class="code editor"
          aria-label={`Text of ${section.title}`}
          value={value.body}
          onInput={(event) => (draft.value = { ...value, body: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            void save(value.version);
          }}
        />
      )}
    </article>
  );
}
