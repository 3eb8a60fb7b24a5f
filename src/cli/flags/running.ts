/** The flags of the commands that run scripts and look at one run. */
import { bool, int, oneOf, path, text } from "../../host/command/flags.ts";
import { modelFlags } from "../../run/setup/index.ts";
import { templateNames } from "../init/template-names.ts";

export const initFlags = {
  template: { ...oneOf("name", "what it begins with", templateNames), preset: templateNames[0] },
};

export const buildFlags = {
  out: path("name", "the file to make; the script's name without `.harn` unless given", { short: "-o" }),
};

export const replayFlags = {
  script: path("file", "replay against this script instead of the recorded text"),
};

export const traceFlags = {
  json: bool("the tree as JSON"),
  markdown: bool("as a document"),
  full: bool("every text, argument and result of a tool whole"),
  script: path("file", "look at it with this script instead of the recorded text"),
};

export const viewFlags = {
  html: path("file", "write one HTML file that needs no server, instead"),
  json: bool("print its events, one a line, instead"),
  open: bool("open the page"),
};

export const whyFlags = {
  turn: int("n", "why it went on after this turn; with --missing: in its request"),
  message: text("id", "where a message comes from, when it was seen, what became of it"),
  missing: text("id", "why a message is not in a request (the last, or that of --turn)"),
  text: text("words", "which parts of the requests have this text, and which had it until when"),
  tool: text("name", "when the model was told of a tool, and how its calls went"),
  instruction: text("rule", "when an instruction was given, or the facts by which it was not"),
  requirement: text("id", "each look at a requirement of the task contract"),
  session: text("id", "which session (several: they are listed)"),
  loop: text("id", "which loop of the session (`l2`); the last unless given"),
  depth: int("n", "so deep (6)"),
  json: bool("the answer as JSON"),
};

export const tortureFlags = {
  tape: modelFlags.tape,
  llmMock: modelFlags.llmMock,
  provider: modelFlags.provider,
  model: modelFlags.model,
  effects: int("n", "faults at the first n effects (100)", { min: 0 }),
  kills: int("n", "also kill -9 so many real runs, in a copy of the script's folder (0)", { min: 0 }),
  phases: bool("also kill -9 a real run in each phase of an agent's turn that the script reaches"),
  json: bool("one JSON object"),
};
