/** Finding secrets in text, and `secret_get` (builtins.md §2.18). */
import { type SecretDetector, secretDetectors } from "../../effects/index.ts";
import type { Task } from "../../interp/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { Dict, List, sha256Hex, textLength, thrown, type Value } from "../../values/index.ts";
import { type Argument, textOf } from "../arguments.ts";

/** A found secret, in UTF-16 positions. */
interface SecretMatch {
  readonly detector: SecretDetector;
  readonly start: number;
  readonly end: number;
}

function findSecrets(text: string): SecretMatch[] {
  const found: SecretMatch[] = [];
  for (const detector of secretDetectors) {
    for (const match of text.matchAll(detector.pattern)) {
      const secret = match[1] ?? match[0];
      // The group stands at the end of what surrounds it, or is the whole.
      const start = match.index + (match[1] === undefined ? 0 : match[0].lastIndexOf(secret));
      const end = start + secret.trimEnd().length;
      const known = found.some((other) => start < other.end && other.start < end);
      if (!known && detector.accepts?.(secret) !== false) found.push({ detector, start, end });
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

/** Enough to recognise it, not to use it. */
function recognisable(secret: string): string {
  return secret.length < 12 ? "…" : `${secret.slice(0, 4)}…${secret.slice(-4)}`;
}

function scan(task: Task, text: string, source: string): List {
  const { crypto } = task.runtime.host;
  const position = positions(text);
  return new List(
    findSecrets(text).map(({ detector, start, end }) => {
      const secret = text.slice(start, end);
      const from = position(start);
      const to = position(end);
      const digest = sha256Hex(crypto, secret);
      return Dict.of({
        detector: detector.id,
        title: detector.title,
        source,
        line: from.line,
        column_start: from.column,
        column_end: to.line === from.line ? to.column : from.column + textLength(openingLine(secret)),
        start_offset: from.offset,
        end_offset: to.offset,
        redacted: recognisable(secret),
        fingerprint: `sha256:${digest}`,
      });
    }),
  );
}

const openingLine = (text: string): string => text.slice(0, text.indexOf("\n"));

interface SecretPosition {
  /** In characters, as everywhere in the language. */
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** Characters, line and column of UTF-16 positions that are asked for in ascending order. */
function positions(text: string): (at: number) => SecretPosition {
  let seen = 0;
  let offset = 0;
  let line = 1;
  let lineStart = 0;
  return (at) => {
    while (seen < at) {
      const code = text.codePointAt(seen) as number;
      seen += code > 0xffff ? 2 : 1;
      offset++;
      if (code === 10) {
        line++;
        lineStart = offset;
      }
    }
    return { offset, line, column: offset - lineStart + 1 };
  };
}

export const secretScan = defineBuiltins("secrets", {
  secret_scan: {
    doc:
      "The secrets in a text: keys of known vendors, private keys, tokens, passwords in URLs and assignments. Each as " +
      "`{detector, title, source, line, column_start, column_end, start_offset, end_offset, redacted, fingerprint}`; lines " +
      "and columns count from 1, ends are exclusive; of a secret over several lines `column_end` is the end of the first. The secret itself is not in there.",
    sig: '(text: string, source: string = "text") -> list<dict>',
    effect: "pure",
    example: 'secret_scan("key AKIAIOSFODNN7EXAMPLE")[0].redacted  // AKIA…MPLE',
    run: (task, text: Argument, source: Argument) =>
      scan(task, textOf(text), textOf(source ?? undefined, "text")),
  },
  secret_get: {
    doc: "A secret `namespace/name` of the connector that runs. Programs read theirs with `harness.secrets.read`.",
    sig: "(name: string) -> string",
    effect: "state",
    run: (): Value => {
      throw thrown("secret_get: no active Harn connector context");
    },
  },
});
