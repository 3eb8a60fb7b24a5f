/** Routes of an HTTP server: `/p/{x}` or `/p/:x`, and `/files/*` for whatever follows. Literal segments win over parameters. */
import { segmentsOf } from "../../files/path-text.ts";
import { percentDecoded } from "../../text/urls.ts";

interface Segment {
  readonly kind: "literal" | "parameter" | "rest";
  readonly text: string;
}

export interface RoutePattern {
  readonly text: string;
  readonly segments: readonly Segment[];
}

/** Reads a pattern; gives a text that says what is wrong with it. */
export function parseRoutePattern(text: string): RoutePattern | string {
  if (!text.startsWith("/")) return `path must start with '/', got '${text}'`;
  const segments: Segment[] = [];
  for (const piece of segmentsOf(text)) {
    const name = /^\{([^{}]*)\}$/.exec(piece)?.[1] ?? /^:(.*)$/.exec(piece)?.[1];
    if (segments.at(-1)?.kind === "rest") return `'*' must be the last segment of '${text}'`;
    if (name === "") return `a parameter of '${text}' has no name`;
    if (piece === "*") segments.push({ kind: "rest", text: "*" });
    else
      segments.push(
        name === undefined ? { kind: "literal", text: piece } : { kind: "parameter", text: name },
      );
  }
  return { text, segments };
}

/** The parameters when a path fits, else `undefined`. */
export function matchPath(pattern: RoutePattern, path: string): Map<string, string> | undefined {
  const parts = segmentsOf(path);
  const params = new Map<string, string>();
  for (const [at, segment] of pattern.segments.entries()) {
    if (segment.kind === "rest") {
      params.set("*", parts.slice(at).map(percentDecoded).join("/"));
      return params;
    }
    const piece = parts[at];
    if (piece === undefined) return undefined;
    const text = percentDecoded(piece);
    if (segment.kind === "literal" && text !== segment.text) return undefined;
    if (segment.kind === "parameter") params.set(segment.text, text);
  }
  return parts.length === pattern.segments.length ? params : undefined;
}

const rank = { literal: 0, parameter: 1, rest: 2 } as const;

/** Which of two patterns that fit is the closer one: below 0 for the first. */
export function closer(a: RoutePattern, b: RoutePattern): number {
  for (let at = 0; at < Math.max(a.segments.length, b.segments.length); at++) {
    const difference = rank[a.segments[at]?.kind ?? "literal"] - rank[b.segments[at]?.kind ?? "literal"];
    if (difference !== 0) return difference;
  }
  return 0;
}
