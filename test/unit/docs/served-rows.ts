/**
 * What people ask of the server, the research agent, papers and the page (issue 16): its requirements by their numbers, then its
 * twelve acceptance scenarios, and the tests that show each. `FILE › WORDS`: the words stand in the file, as the name of a test.
 * What no test shows yet stands in `open`, with the reason.
 */
import type { ShownRow } from "../../support/shown-by.ts";

const served = "test/unit/server/supervise/conversations.test.ts";
const stops = "test/unit/server/supervise/interrupts.test.ts › asked of the %s";
const page = "test/browser/viewer.test.ts";
const real = "test/browser/served.test.ts";
const acted = "test/browser/scenarios.test.ts";
const command = "test/unit/cli/serve.test.ts";
const golden = (name: string): string => `test/golden/research/${name}.harn`;
const doom = [
  golden("doom"),
  "test/property/doom.test.ts › the watch finds what one finds who looks at everything",
];

export const requirements: readonly ShownRow[] = [
  [
    1,
    "300 calls of tools a message, and a turn to close",
    [golden("closing_turn"), golden("three_hundred_calls")],
  ],
  [
    2,
    "the loop: compaction, model, parse, mode, execution, results, the watch, again",
    [
      golden("modes_gate"),
      golden("doom"),
      golden("three_hundred_calls"),
      "test/unit/agent/control/subsystems.test.ts › repair comes before everything that looks at the view",
    ],
  ],
  [
    3,
    "modes at three layers",
    [golden("modes_gate"), golden("modes_plan"), golden("modes_elsewhere"), golden("bad_modes")],
  ],
  [
    4,
    "compaction at 90 %, the last five untouched; plan, decisions, reports stay",
    [
      golden("three_hundred_calls"),
      golden("context"),
      golden("agent_tools"),
      "test/unit/agent/loop/compaction-told.test.ts › nothing is cut while the untouched messages fit",
    ],
  ],
  [
    5,
    "the gauge",
    [
      "test/unit/research/served.test.ts › the demonstration",
      `${page} › a conversation: turns, calls, sub-agents inside their call, compaction, question, gauge and cost`,
    ],
  ],
  [6, "loops of doom, corrected", [...doom, golden("doom_resets"), golden("bad_watching")]],
  [
    7,
    "writing projects, saved at once, shown, exported by the page",
    [
      "test/unit/server/papers.test.ts › is made, written, cited, checked and exported",
      "test/unit/server/papers.test.ts › in a conversation is told in its log",
      "test/unit/writing/durable/three-writers.test.ts › versions are dense, and all that was written stands",
      `${page} › a paper: read, written with the version that was seen`,
      `${page} › Word and PDF are made by the server`,
    ],
  ],
  [
    8,
    "Stop kills, through another server too",
    [
      stops,
      `${served} › an interrupt asked of another server is carried out in its place`,
      `${real} › Stop ends a tool with children that ignore it and have sessions of their own`,
    ],
  ],
  [
    9,
    "sub-agents stand in the call that started them",
    [
      "test/unit/server/protocol/fold.test.ts › has a child's loop below the call that started it",
      "test/unit/research/served.test.ts › the demonstration",
      `${page} › sub-agents inside their call`,
    ],
  ],
  [
    10,
    "conversations side by side, each by itself",
    [
      `${served} › waits for its turn: no more runs at once than there may be`,
      "test/property/conversations.test.ts › goes only where it may, with one run at a time",
      "test/unit/server/strangers.test.ts › lists of eve have nothing of ann's",
    ],
  ],
  [
    11,
    "the configuration of an agent",
    [
      golden("config"),
      "test/unit/server/conversations.test.ts › a configuration has the keys of agents",
      `${command} › agents of the manifest, with title, mode and configuration`,
    ],
  ],
  [
    12,
    "restarts of run, server and page",
    [
      "test/unit/server/supervise/kills.test.ts › kills lose nothing and repeat nothing",
      "test/unit/server/supervise/kills-at-events.test.ts › comes to the same result, with every event once",
      `${served} › of the run's process: that run goes on, and nothing is done twice`,
      "test/unit/server/streams.test.ts › hears each event exactly once and in order: cuts anywhere, restarts, two servers",
    ],
  ],
  [
    13,
    "approvals, asked of people",
    [
      "test/unit/server/conversations.test.ts › an approval: open in the record, answered once, then told who said what",
      `${served} › about a tool survives a kill; leave for other arguments is leave for those, once`,
      `${page} › an approval with edited arguments is sent as one answer`,
    ],
  ],
];

export const scenarios: readonly ShownRow[] = [
  [
    1,
    "the demonstration",
    [
      "test/unit/research/served.test.ts › the demonstration",
      `${acted} › 1: a task, its plan approved, three sub-agents at once, a paper with verified references, exported`,
      "test/unit/research/example.test.ts › plan, approval, three sub-agents at once, a paper whose figures have sources",
    ],
  ],
  [
    2,
    "the page is loaded again, and offline, in the middle of an answer",
    [
      `${acted} › 2: Chromium goes offline five times in the middle of an answer; nothing is missing and nothing there twice`,
      `${real} › loaded again five times in the middle of an answer`,
      `${page} › a lost connection is said, what was missed is fetched, nothing is there twice`,
      "test/unit/server/streams.test.ts › what was said of an unfinished message is told at the start",
    ],
  ],
  [
    3,
    "kill -9 while two sub-agents work",
    [
      `${served} › of the server while two sub-agents work: both go on, nothing is fetched again`,
      "test/unit/server/streams.test.ts › HarnClient reconnects by itself over sockets, through a server that ends in between",
    ],
  ],
  [
    4,
    "Stop, with everything under it",
    [
      stops,
      `${acted} › 4: Stop in the page of a second server ends code, its children and a sub-agent that answers; another conversation goes on`,
      `${real} › Stop ends a tool with children that ignore it and have sessions of their own`,
      `${page} › Stop asks nothing`,
    ],
  ],
  [5, "a tool that a plan does not have", [golden("modes_gate"), golden("modes_elsewhere")]],
  [6, "loops of doom, and the innocents", doom],
  [7, "300 calls in a window of 20,000", [golden("three_hundred_calls"), golden("context")]],
  [
    8,
    "an approval over a restart, with other arguments",
    [
      `${acted} › 8: an approval outlives its page and its server, and is given by another browser, with other arguments, once`,
      `${served} › about a tool survives a kill; leave for other arguments is leave for those, once`,
      `${page} › an approval with edited arguments is sent as one answer`,
      `${page} › somebody else's answer is said`,
    ],
  ],
  [
    9,
    "two people",
    [
      "test/unit/server/strangers.test.ts › with the ids of ann's things, asked by eve",
      "test/unit/server/strangers.test.ts › lists of eve have nothing of ann's, whatever is searched for",
      "test/unit/server/strangers.test.ts › topics of ann's are 404",
    ],
  ],
  [
    10,
    "10,000 events, and a fork with another model",
    [
      `${page} › 10,000 events: few elements, all of it reachable, the first rows at once`,
      `${page} › the scrubber shows the page as it was, and a fork from there`,
      `${command} › another model, another answer, another variable; the old one stays as it is`,
    ],
  ],
  [
    11,
    "clients of AG-UI and of chat completions",
    [
      "test/unit/server/interop.test.ts › a thread with text, a call and a sub-agent inside it, to its end",
      "test/unit/server/interop.test.ts › an approval ends the run with an interrupt; the answer goes on to its end",
      "test/unit/server/interop.test.ts › an answer, streamed and whole",
    ],
  ],
  [
    12,
    "attacks",
    [
      "test/unit/server/dispatch.test.ts › hosts, origins, forgery",
      "test/unit/server/paths.test.ts",
      "test/unit/server/own-addresses.test.ts",
      golden("private_addresses"),
      `${page} › hostile content is text: nothing runs, nothing is loaded, nothing leads out that should not`,
      `${page} › hostile papers, references, agents, scripts and errors of the server are text, too`,
      "test/unit/writing/text/exports.test.ts › formulas that stay text",
      "test/unit/writing/text/latex-compile.test.ts",
    ],
  ],
];

/** What of them is not shown, and why. */
export const open: Readonly<Record<string, string>> = {};
