/** Markdown as elements. No HTML is ever made of a text: raw HTML is text, pictures of other hosts are links. */
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { limits } from "../../src/server/protocol/index.ts";
import { type Block, type Inline, parseMarkdown } from "../../src/writing/text/markdown/index.ts";
import { Pre, Safe } from "../parts/text.tsx";
import { Formula } from "./formula.tsx";

export interface MarkdownContext {
  /** Address of a picture in the workspace; null where there is none. */
  readonly picture?: (path: string) => string | null;
  /** What stands for a citation; without it the citation is shown as it was written. */
  readonly cite?: (key: string) => ComponentChildren;
}

export function Markdown({
  text,
  context = {},
}: {
  readonly text: string;
  readonly context?: MarkdownContext;
}) {
  const blocks = useMemo(
    () => (text.length > limits.markdownBytes ? null : parseMarkdown(text).blocks),
    [text],
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
      return <span key={key} class="reference">{`@${inline.to}:${inline.label}`}</span>;
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
  context,
}: {
  readonly inline: Extract<Inline, { kind: "citation" }>;
  readonly context: MarkdownContext;
}) {
  const item = (one: (typeof inline.items)[number], at: number) => (
    <span key={at}>
      {at > 0 ? "; " : ""}
      {one.prefix === "" ? "" : `${one.prefix} `}
      {context.cite?.(one.key) ?? `${one.yearOnly ? "-" : ""}@${one.key}`}
      {one.suffix === "" ? "" : `, ${one.suffix}`}
    </span>
  );
  if (inline.form === "textual") return <>{inline.items.map(item)}</>;
  return <span class="reference">[{inline.items.map(item)}]</span>;
}

/** A link that leads out: only where a browser may go without doing something. */
function Outward({ href, children }: { readonly href: string; readonly children: ComponentChildren }) {
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
