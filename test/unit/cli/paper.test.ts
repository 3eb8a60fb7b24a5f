/** `harn paper` and `harn export`: papers that a program wrote, in the terminal. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { harnHere } from "../../support/harn-here.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const cwd = tempFolder("paper");
const run = (...args: string[]) => harnHere(args, { cwd });
writeFileSync(
  join(cwd, "a.harn"),
  `let paper = paper_new("On looms", {outline: [{title: "One"}]})
paper_write(paper.id, "one", "See [@nobody] and ![Plot](plot.png), ≤ 𝔼 $\\\\mathcal{A}$.")
ask_user("Go on?")
println(paper_write(paper.id, "one", "Done.").version)`,
);
writeFileSync(
  join(cwd, "plot.png"),
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
);
const hasPdfLatex = spawnSync("pdflatex", ["--version"], { stdio: "ignore" }).status === 0;

describe("papers in the terminal", () => {
  it("without a store there are none", async () => {
    expect(await run("paper", "list")).toMatchObject({ stdout: "there is no paper yet\n", status: 0 });
    expect((await run("paper", "show", "p_x")).stderr).toContain("there is no paper p_x; `harn paper list`");
  });

  it("a run that waits and goes on writes each version once", async () => {
    expect((await run("run", "a.harn")).status).toBe(75);
    expect((await run("hitl", "answer", "last", "yes")).status).toBe(0);
    expect(await run("run", "--resume", "last")).toMatchObject({ stdout: "3\n", status: 0 });
    const id = (await run("paper", "list")).stdout.split(" ")[0] as string;
    expect((await run("paper", "versions", id)).stdout.split("\n").map((line) => line[0])).toEqual([
      "3",
      "2",
      "1",
      undefined,
    ]);
  });

  it("shown, checked, restored, exported", async () => {
    const id = JSON.parse((await run("paper", "list", "--json")).stdout).id as string;
    expect((await run("paper", "show", id.slice(-8))).stdout).toContain(
      "One  @sec:one  revised, 5 characters",
    );
    expect((await run("paper", "restore", id, "2")).stdout).toBe("version 4 is like version 2\n");
    expect(await run("paper", "restore", id, "x")).toMatchObject({ status: 2 });
    expect(await run("paper", "check", id, "--strict")).toMatchObject({ status: 1 });
    expect(JSON.parse((await run("paper", "check", id, "--json")).stdout).findings).toMatchObject([
      { kind: "unknown-citation", text: "nobody" },
    ]);
    const strict = await run("export", "paper", id, "--to", "md", "-o", "never.md", "--strict");
    expect([strict.status, existsSync(join(cwd, "never.md"))]).toEqual([1, false]);
    writeFileSync(join(cwd, "r.bib"), "@misc{nobody, title = {T}}\n@misc{b");
    const read = await run("paper", "import", id, "r.bib");
    expect([read.status, read.stdout, read.stderr]).toEqual([
      1,
      "1 references: nobody\n",
      "harn: r.bib:2: @misc{b has no comma after its key (HARN-CLI-006)\n",
    ]);
    writeFileSync(join(cwd, "words.bib"), "no entry\n");
    expect(await run("paper", "import", id, "words.bib")).toMatchObject({
      status: 1,
      stderr: "harn: words.bib: there is no BibTeX entry in it (HARN-CLI-006)\n",
    });
    expect(await run("paper", "import", id, "gone.bib")).toMatchObject({ status: 1 });
    expect((await run("paper", "import", id, "gone.bib")).stderr).toContain(
      "gone.bib: no such file or folder",
    );
    expect((await run("export", "paper", id, "--to", "md")).stdout).toContain(
      "# On looms\n\n## One\n\nSee [\\[1\\]](#references)",
    );
    expect((await run("export", "paper", id, "--to", "latex", "-o", "out")).status).toBe(0);
    // Built programs have had letters of their own for these.
    expect(readFileSync(join(cwd, "out/paper.tex"), "utf8")).toContain(
      "\\DeclareUnicodeCharacter{2264}{\\ensuremath{\\leq}}",
    );
    expect((await run("export", "paper", id, "--to", "html")).stdout).toContain("<math");
    expect(readFileSync(join(cwd, "out/paper.tex"), "utf8")).toContain("{figures/plot.png}");
    expect(existsSync(join(cwd, "out/figures/plot.png"))).toBe(true);
    expect((await run("export", "paper", id, "--to", "pdf")).stderr).toContain("name it with --output");
    expect((await run("export", "paper", id, "--to", "docx")).stderr).toContain("name it with --output");
    expect((await run("export", "paper", id, "--to", "md", "--engine", "latexmk")).stderr).toContain(
      "--engine is for --to pdf",
    );
    expect((await run("export", "paper", id, "--to", "docx", "-o", "paper.docx")).status).toBe(0);
    expect((await run("export", "paper", id, "--to", "html")).stdout).toContain("<!doctype html>");
    const word = readFileSync(join(cwd, "paper.docx"));
    expect([word.subarray(0, 2).toString(), /word\/media\/\w+\.png/.test(word.toString("latin1"))]).toEqual([
      "PK",
      true,
    ]);
    expect((await run("export", "conversation", "c_x", "--to", "md")).stderr).toContain(
      "there is no conversation c_x",
    );
  });

  it.skipIf(!hasPdfLatex)(`as PDF${hasPdfLatex ? "" : " (skipped: no pdflatex in PATH)"}`, async () => {
    const id = JSON.parse((await run("paper", "list", "--json")).stdout).id as string;
    expect((await run("export", "paper", id, "--to", "pdf", "-o", "paper.pdf")).status).toBe(0);
    expect(readFileSync(join(cwd, "paper.pdf")).subarray(0, 5).toString()).toBe("%PDF-");
  });
});
