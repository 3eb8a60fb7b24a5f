/** How the child that did a run ended, in words. */
import type { ChildEnd } from "../../host/index.ts";

const becauseOf = {
  time: "it took too long",
  memory: "it took too much memory",
  stuck: "it computed without end",
  asked: "it was stopped",
} as const;

export function jobEndText(end: ChildEnd): string {
  switch (end.kind) {
    case "ended":
      return `exit code ${end.exitCode}`;
    case "died":
      return end.signal ?? `exit code ${end.exitCode}`;
    case "killed":
      return becauseOf[end.because];
  }
}
