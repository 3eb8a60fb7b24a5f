/** `harn paper` and `harn export` as commander knows them. */
import { type Command, Option } from "commander";
import type { PdfEngine } from "../../server/pdf/index.ts";
import type { PaperFormat } from "../../writing/formats/index.ts";
import type { ExportFlags, PaperFlags } from "./flag-types.ts";

type Done = (code: number) => void;

/** As the table of formats has them, which a start does not load. */
export const paperTargets = [
  "md",
  "latex",
  "bib",
  "html",
  "json",
  "docx",
  "pdf",
] as const satisfies readonly PaperFormat[];
const engines = ["tectonic", "latexmk", "pdflatex", "chromium"] as const satisfies readonly PdfEngine[];
export const recordTargets = ["md", "html", "json"] as const;

export function addPaperCommands(program: Command, done: Done): void {
  const paper = program.command("paper").description("Writing projects of this project's store.");
  const load = () => import("./paper-command.ts");
  const json = ["--json", "as JSON"] as const;
  paper
    .command("list")
    .description("Papers, the newest first.")
    .option(...json)
    .action(async (flags: PaperFlags) => done((await load()).listPapers(flags)));
  paper
    .command("show <id>")
    .description("A paper's outline, its references, and how much is written.")
    .option(...json)
    .action(async (id: string, flags: PaperFlags) => done((await load()).showPaper(id, flags)));
  paper
    .command("check <id>")
    .description("What is wrong with a paper; 1 with --strict when citations do not hold.")
    .option(...json)
    .option("--strict", "ends with 1 for unknown citations and references that are unverified or not cited")
    .action(async (id: string, flags: PaperFlags) => done((await load()).checkPaperCommand(id, flags)));
  paper
    .command("versions <id>")
    .description("A paper's versions, the newest first.")
    .option(...json)
    .action(async (id: string, flags: PaperFlags) => done((await load()).paperVersions(id, flags)));
  paper
    .command("restore <id> <version>")
    .description("Makes a new version that is like an old one.")
    .action(async (id: string, n: string) => done((await load()).restorePaper(id, n)));
  paper
    .command("import <id> <file>")
    .description("Adds the references of a BibTeX file, unverified.")
    .action(async (id: string, file: string) => done((await load()).importReferences(id, file)));

  const exports = program.command("export").description("Papers, conversations and runs as files.");
  const into = (command: Command, targets: readonly string[]): Command =>
    command
      .addOption(new Option("--to <format>", "the format").choices(targets).makeOptionMandatory())
      .option(
        "-o, --output <file>",
        "where to; LaTeX: a folder; without it standard output; PDF and docx need it",
      );
  into(
    exports.command("paper <id>").description("A paper; what is wrong with it is said on standard error."),
    paperTargets,
  )
    .option("--strict", "ends with 1 and writes nothing when citations do not hold")
    .addOption(
      new Option("--engine <name>", "what makes the PDF; without it the first that is installed").choices(
        engines,
      ),
    )
    .action(async (id: string, flags: ExportFlags) =>
      done(await (await import("./export-command.ts")).exportPaperCommand(id, flags)),
    );
  into(
    exports.command("conversation <id>").description("What was said in a conversation."),
    recordTargets,
  ).action(async (id: string, flags: ExportFlags) =>
    done(await (await import("./export-command.ts")).exportConversation(id, flags)),
  );
  into(
    exports
      .command("run <id>")
      .description(
        "A recorded run (`last`: the newest): as one page, as its events, as what was said and done.",
      ),
    recordTargets,
  ).action(async (id: string, flags: ExportFlags) =>
    done(await (await import("./export-command.ts")).exportRunReport(id, flags)),
  );
}
