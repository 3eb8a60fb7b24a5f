/** Places in scripts, for messages. */
import type { ProblemPlace } from "../effects/index.ts";
import type { SourceFile, Span } from "../source/index.ts";

/** Where in a script something is; kept by reference, so setting it costs one store. */
export interface Site {
  readonly source: SourceFile;
  readonly span: Span;
}

/** `demo.harn:3:9` */
export function describeSite(site: Site): string {
  const { line, column } = site.source.position(site.span.start);
  return `${site.source.name}:${line}:${column}`;
}

export function placeOfSite({ source, span }: Site): ProblemPlace {
  const { line, column } = source.position(span.start);
  return { file: source.path ?? source.name, shown: source.name, line, column };
}
