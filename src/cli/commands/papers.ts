/** Commands about papers, and exports. */
import { bool, needed, oneOf, path } from "../../host/command/flags.ts";
import { exportPaperFlags, paperFlags, recordTargets } from "../flags/papers.ts";
import { type Command, command } from "./command.ts";

export const papers: readonly Command[] = [
  command({
    name: "paper",
    summary: "Writing projects of this project's store.",
    readme: [
      [
        "`harn paper list\\|show\\|check\\|versions\\|restore\\|import`",
        "the papers that agents write; `docs/papers.md`",
      ],
    ],
  }),
  command({
    name: "paper list",
    summary: "Papers, the newest first.",
    flags: {
      json: bool("as JSON"),
    },
    examples: ["harn paper list"],
    run: async (_args, flags) => (await import("../paper/paper-command.ts")).listPapers(flags),
  }),
  command({
    name: "paper show",
    summary: "A paper's outline, its references, and how much is written.",
    args: [["<id>", ""]],
    flags: {
      json: bool("as JSON"),
    },
    examples: ["harn paper show 0198a4"],
    run: async ([id], flags) => (await import("../paper/paper-command.ts")).showPaper(id, flags),
  }),
  command({
    name: "paper check",
    summary: "What is wrong with a paper; 1 with --strict when citations do not hold.",
    args: [["<id>", ""]],
    flags: paperFlags,
    examples: ["harn paper check 0198a4 --strict"],
    run: async ([id], flags) => (await import("../paper/paper-command.ts")).checkPaperCommand(id, flags),
  }),
  command({
    name: "paper versions",
    summary: "A paper's versions, the newest first.",
    args: [["<id>", ""]],
    flags: {
      json: bool("as JSON"),
    },
    examples: ["harn paper versions 0198a4"],
    run: async ([id], flags) => (await import("../paper/paper-command.ts")).paperVersions(id, flags),
  }),
  command({
    name: "paper restore",
    summary: "Makes a new version that is like an old one.",
    args: [
      ["<id>", ""],
      ["<version>", ""],
    ],
    examples: ["harn paper restore 0198a4 3"],
    run: async ([id, version]) => (await import("../paper/paper-command.ts")).restorePaper(id, version),
  }),
  command({
    name: "paper import",
    summary: "Adds the references of a BibTeX file, unverified.",
    args: [
      ["<id>", ""],
      ["<file>", ""],
    ],
    examples: ["harn paper import 0198a4 references.bib"],
    run: async ([id, file]) => (await import("../paper/paper-command.ts")).importReferences(id, file),
  }),
  command({
    name: "export",
    summary: "Papers, conversations and runs as files.",
    readme: [
      [
        "`harn export paper\\|conversation ID --to FORMAT`",
        "a paper as Markdown, LaTeX, BibTeX, HTML, JSON or PDF; what was said in a conversation",
      ],
    ],
  }),
  command({
    name: "export paper",
    summary: "A paper; what is wrong with it is said on standard error.",
    args: [["<id>", ""]],
    flags: exportPaperFlags,
    examples: ["harn export paper 0198a4 --to pdf --output paper.pdf"],
    run: async ([id], flags) => (await import("../paper/export-command.ts")).exportPaperCommand(id, flags),
  }),
  command({
    name: "export conversation",
    summary: "What was said in a conversation.",
    args: [["<id>", ""]],
    flags: {
      to: needed(oneOf("format", "the format", recordTargets)),
      output: path("file", "where to; LaTeX: a folder; without it standard output; PDF and docx need it", {
        short: "-o",
      }),
    },
    examples: ["harn export conversation 0198a4 --to md"],
    run: async ([id], flags) => (await import("../paper/export-command.ts")).exportConversation(id, flags),
  }),
  command({
    name: "export run",
    summary: "A recorded run (`last`: the newest): as one page, as its events, as what was said and done.",
    args: [["<id>", ""]],
    flags: {
      to: needed(oneOf("format", "the format", recordTargets)),
      output: path("file", "where to; LaTeX: a folder; without it standard output; PDF and docx need it", {
        short: "-o",
      }),
    },
    examples: ["harn export run last --to html --output run.html"],
    run: async ([id], flags) => (await import("../paper/export-command.ts")).exportRunReport(id, flags),
  }),
];
