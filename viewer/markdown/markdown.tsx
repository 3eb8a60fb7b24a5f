/** Markdown as elements. No HTML is ever made of a text: raw HTML is text, pictures of other hosts are links. */
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { limits } from "../../src/server/protocol/index.ts";
import { citationPieces, crossReferenceText } from "../../src/writing/text/citation-text.ts";
import type { PaperDocument } from "../../src/writing/text/document.ts";
import { type Block, type Inline, parseMarkdown } from "../../src/writing/text/markdown/index.ts";
import { referenceLine } from "../../src/writing/text/references-text.ts";
import { Pre, Safe } from "../parts/text.tsx";
import { visibleText } from "../text/visible.ts";
import { Formula } from "./formula.tsx";

export interface MarkdownContext {
  /** Address of a picture in the workspace; null where there is none. */
  readonly picture?: (path: string) => string | null;
  /** The paper that the text stands in: citations and references to its parts say what an export says; without it, what was written. */
  readonly paper?: PaperDocument;
  /** Somebody wants to see the reference of a citation. */
  readonly onCitation?: (key: string) => void;
}

export function Markdown({
  text,
  parsed,
  context = {},
}: {
  readonly text: string;
  /** The blocks of the text, where somebody has them already. */
  readonly parsed?: readonly Block[] | undefined;
  readonly context?: MarkdownContext;
}) {
  const blocks = useMemo(
    () => parsed ?? (text.length > limits.markdownBytes ? null : parseMarkdown(text).blocks),
    [text, parsed],
  );
  if (blocks === null) return <Pre text={text} label="Text" />;
  return <div class="markdown">{blocks.map((block, at) => blockOf(block, at, context))}</div>;
}

function blockOf(block: Block, key: number, context: MarkdownContext): ComponentChildren {
  switch (block.kind) {
    case "heading":
      return (
        <p
          key={key}
          class={`heading heading-${Math.min(block.depth, 6)}`}
          role="heading"
          aria-level={Math.min(block.depth + 2, 6)}
        >
          {inlines(block.children, context)}
        </p>
      );
    case "paragraph":
      return <p key={key}>{inlines(block.children, context)}</p>;
    case "code":
      return (
        <Pre key={key} text={block.text} label={block.language === "" ? "Code" : `Code, ${block.language}`} />
      );
    case "quote":
      return <blockquote key={key}>{block.children.map((one, at) => blockOf(one, at, context))}</blockquote>;
    case "list": {
      const items = block.items.map((item, at) => (
        <li key={at} class={item.checked === null ? undefined : "task"}>
          {item.checked === null ? null : (
            <span role="img" aria-label={item.checked ? "done" : "open"} class="box">
              {item.checked ? "☑" : "☐"}
            </span>
          )}
          {item.children.map((one, n) => blockOf(one, n, context))}
        </li>
      ));
      return block.ordered ? (
        <ol key={key} start={block.start}>
          {items}
        </ol>
      ) : (
        <ul key={key}>{items}</ul>
      );
    }
    case "table":
      return (
        <div key={key} class="scroll-x" tabIndex={0} role="group" aria-label="Table">
          <table>
            <thead>
              <tr>
                {block.header.map((cell, at) => (
                  <th key={at} class={block.align[at]}>
                    {inlines(cell, context)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, n) => (
                <tr key={n}>
                  {row.map((cell, at) => (
                    <td key={at} class={block.align[at]}>
                      {inlines(cell, context)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    case "rule":
      return <hr key={key} />;
    case "display_math":
      return <Formula key={key} tex={block.tex} display />;
    case "html_block":
      return (
        <p key={key} class="raw">
          <Safe text={block.text} />
        </p>
      );
    case "note":
      return (
        <div key={key} class="note">
          <span class="soft">{`${block.label}. `}</span>
          {block.children.map((one, at) => blockOf(one, at, context))}
        </div>
      );
  }
}

const inlines = (list: readonly Inline[], context: MarkdownContext): ComponentChildren =>
  list.map((one, at) => inlineOf(one, at, context));

function inlineOf(inline: Inline, key: number, context: MarkdownContext): ComponentChildren {
  switch (inline.kind) {
    case "text":
      return <Safe key={key} text={inline.text} />;
    case "emphasis":
      return <em key={key}>{inlines(inline.children, context)}</em>;
    case "strong":
      return <strong key={key}>{inlines(inline.children, context)}</strong>;
    case "strike":
      return <del key={key}>{inlines(inline.children, context)}</del>;
    case "code_span":
      return (
        <code key={key}>
          <Safe text={inline.text} />
        </code>
      );
    case "break":
      return <br key={key} />;
    case "link":
      return (
        <Outward key={key} href={inline.href}>
          {inlines(inline.children, context)}
        </Outward>
      );
    case "image": {
      const address = isOutside(inline.path) ? null : (context.picture?.(inline.path) ?? null);
      if (address !== null)
        return <img key={key} src={address} alt={plainOf(inline.caption)} loading="lazy" />;
      return (
        <Outward key={key} href={inline.path}>
          <span class="soft">image: </span>
          {inline.caption.length > 0 ? inlines(inline.caption, context) : <Safe text={inline.path} />}
        </Outward>
      );
    }
    case "math":
      return <Formula key={key} tex={inline.tex} display={inline.display} />;
    case "note_reference":
      return <sup key={key}>{inline.label}</sup>;
    case "citation":
      return <Citation key={key} inline={inline} context={context} />;
    case "cross_reference":
      return (
        <span key={key} class="reference">
          {context.paper === undefined
            ? `@${inline.to}:${inline.label}`
            : crossReferenceText(inline, context.paper)}
        </span>
      );
    case "html":
      return (
        <span key={key} class="raw">
          <Safe text={inline.text} />
        </span>
      );
  }
}

function Citation({
  inline,
  context: { paper, onCitation },
}: {
  readonly inline: Extract<Inline, { kind: "citation" }>;
  readonly context: MarkdownContext;
}) {
  if (paper === undefined) return <span class="reference">{asWritten(inline)}</span>;
  return (
    <span class="reference">
      {citationPieces(inline, paper).map(({ text, key }, at) => {
        const item = key === undefined ? undefined : paper.references.get(key)?.item;
        if (key === undefined || item === undefined || onCitation === undefined)
          return <Safe key={at} text={text} />;
        return (
          <button
            key={at}
            type="button"
            class="citation"
            title={visibleText(referenceLine(item).text)}
            onClick={() => onCitation(key)}
          >
            <Safe text={text} />
          </button>
        );
      })}
    </span>
  );
}

function asWritten({ form, items }: Extract<Inline, { kind: "citation" }>): string {
  const written = items.map(({ key, prefix, suffix, yearOnly }) =>
    [
      prefix === "" ? "" : `${prefix} `,
      yearOnly ? "-" : "",
      `@${key}`,
      suffix === "" ? "" : `, ${suffix}`,
    ].join(""),
  );
  return form === "textual" ? written.join("; ") : `[${written.join("; ")}]`;
}

/** A link that leads out: only where a browser may go without doing something. */
export function Outward({ href, children }: { readonly href: string; readonly children: ComponentChildren }) {
  if (!/^(https?:|mailto:)/i.test(href)) return <span class="dead-link">{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" title={href}>
      {children}
    </a>
  );
}

const isOutside = (path: string): boolean => /^([a-z][a-z0-9+.-]*:|\/\/|\\)/i.test(path);

function plainOf(list: readonly Inline[]): string {
  return list
    .map((one) => ("children" in one ? plainOf(one.children) : "text" in one ? one.text : ""))
    .join("");
}
