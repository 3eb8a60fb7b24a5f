/** Formulas: loaded with the first one, and built from a list of MathML elements. */
import { signal } from "@preact/signals";
import { type ComponentChildren, createElement } from "preact";
import { useMemo } from "preact/hooks";
import { Safe } from "../parts/text.tsx";

/** A node as the library builds it: an element, a text, or a list of nodes. */
interface MathTree {
  readonly type?: string;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly children?: readonly MathTree[];
}

type Renderer = (tex: string, display: boolean) => MathTree;

const renderer = signal<Renderer | null>(null);
let asked = false;

function load(): void {
  if (asked) return;
  asked = true;
  void import("./temml.ts").then((module) => {
    renderer.value = module.mathTree;
  });
}

const elements: ReadonlySet<string> = new Set(
  `math mrow mi mn mo ms mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mmultiscripts mprescripts
  mtable mtr mtd mstyle mpadded mphantom menclose merror`.split(/\s+/),
);
const attributes: ReadonlySet<string> = new Set(
  `display displaystyle scriptlevel mathvariant stretchy symmetric minsize maxsize lspace rspace width height depth voffset
  linethickness accent accentunder fence separator form largeop movablelimits columnalign rowspacing columnspacing columnlines
  rowlines columnspan rowspan notation mathsize`.split(/\s+/),
);
/** Characters of a formula beyond which its source is shown, and nodes of what it became. */
const maxLength = 4_096;
const maxNodes = 5_000;

export function Formula({ tex, display }: { readonly tex: string; readonly display: boolean }) {
  load();
  const render = renderer.value;
  const built = useMemo(
    () => (render === null || tex.length > maxLength ? null : build(render, tex, display)),
    [render, tex, display],
  );
  const content = built ?? (
    <code>
      <Safe text={tex} />
    </code>
  );
  return display ? (
    <div class="formula scroll-x" tabIndex={0} role="group" aria-label="Formula">
      {content}
    </div>
  ) : (
    <span class="formula">{content}</span>
  );
}

function build(render: Renderer, tex: string, display: boolean): ComponentChildren {
  try {
    const budget = { left: maxNodes };
    const node = elementOf(render(tex, display), 0, budget);
    return budget.left < 0 ? null : node;
  } catch {
    return null;
  }
}

function elementOf(node: MathTree, key: number, budget: { left: number }): ComponentChildren {
  budget.left -= 1;
  if (budget.left < 0) return null;
  if (node.text !== undefined) return node.text;
  const children = (node.children ?? []).map((child, at) => elementOf(child, at, budget));
  if (node.type === undefined || !elements.has(node.type)) return children;
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(node.attributes ?? {}))
    if (attributes.has(name) && /^[\w .%#+-]*$/.test(String(value))) kept[name] = String(value);
  return createElement(node.type, { key, ...kept }, children);
}
