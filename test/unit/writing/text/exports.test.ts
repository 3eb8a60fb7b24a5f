/** Exporters and findings: docs/papers.md has the tables. */
import { describe, expect, it } from "vitest";
import {
  bibtexOf,
  checkPaper,
  exportPaper,
  imagePaths,
  isSafeMath,
  type Paper,
  referenceKey,
  referencesOfBibtex,
  type TextFormat,
} from "../../../../src/writing/text/index.ts";
import { escapeLatex } from "../../../../src/writing/text/latex/index.ts";
import { paperWith, references, torturePaper } from "./torture-paper.ts";

const exported = async (paper: Paper, format: TextFormat): Promise<string> =>
  (await exportPaper(paper, format)).files[0]?.content as string;
/** What stands in the section. */
const latex = async (body: string, more: Partial<Paper> = {}): Promise<string> => {
  const text = await exported(paperWith(body, more), "latex");
  return text
    .slice(text.indexOf("\\label{sec:one}") + 17)
    .replace(/\n\n\\(bibliographystyle|end\{document\})[\s\S]*/, "");
};

describe("the table of escapes", () => {
  it.each([
    ["\\", "\\textbackslash{}"],
    ["{}", "\\{\\}"],
    ["$&%#_", "\\$\\&\\%\\#\\_"],
    ["~", "\\textasciitilde{}"],
    ["^", "\\textasciicircum{}"],
    ["<>", "\\textless{}\\textgreater{}"],
    ["|", "\\textbar{}"],
    ['"', "\\textquotedbl{}"],
    ["--", "-{}-"],
    ["---", "-{}-{}-"],
    ["`'", "`{}'{}"],
    ["\u00a0–—…", "~–—…"],
    ["a\u0007b\tc", "ab c"],
  ])("%s", (text, tex) => {
    expect(escapeLatex(text)).toBe(tex);
  });

  it("brackets at the start of an item, cell or line", () => {
    expect(escapeLatex("[a]\n[b] [c]", true)).toBe("{[}a]\n{[}b] [c]");
    expect(escapeLatex("[a]")).toBe("[a]");
  });
});

describe("LaTeX", () => {
  it.each([
    ["*a* **b** `c_d` ~~e~~", "\\emph{a} \\textbf{b} \\texttt{c\\_d} {[}e{]}"],
    ["[a](https://x.y/%20?b=1&c#d)", "\\href{https://x.y/\\%20?b=1\\&c\\#d}{a}"],
    ["https://x.y/a_b", "\\url{https://x.y/a_b}"],
    ["[a](javascript:alert(1))", "a"],
    ["a  \nb", "a\\\\{}\nb"],
    [
      "- a\n- [x] b\n- [ ] c",
      "\\begin{itemize}\n\\item a\n\\item[$\\boxtimes$] b\n\\item[$\\square$] c\n\\end{itemize}",
    ],
    ["> a", "\\begin{quote}\na\n\\end{quote}"],
    ["---", "\\par\\noindent\\rule{\\linewidth}{0.4pt}\\par"],
    ["```\na{b}\n```", "\\begin{verbatim}\na{b}\n\\end{verbatim}"],
    ["```\n\\end{verbatim}\n```", "\\noindent \\texttt{\\textbackslash{}end\\{verbatim\\}}"],
    [
      "|a|b|\n|:-:|--:|\n|[c|d&|",
      "\\begin{longtable}{c r}\n\\toprule\na & b \\\\\n\\midrule\n\\endhead\n{[}c & d\\& \\\\\n\\bottomrule\n\\end{longtable}",
    ],
    ["a[^1]\n\n[^1]: *n*", "a\\footnote{\\emph{n}}"],
    ["a[^1] b[^1]\n\n[^1]: n", "a\\footnote{\\label{fn:1}n} b\\textsuperscript{\\ref{fn:1}}"],
    ["@sec:one", "Section~\\ref{sec:one}"],
    ["$x$ $$y$$", "$x$ \\[y\\]"],
    ["$\\input{x}$", "\\$\\textbackslash{}input\\{x\\}\\$"],
  ])("%s", async (body, tex) => {
    expect(await latex(body)).toBe(tex);
  });

  it.each([
    [
      "[@doe2020autonomous, p. 3; see @who2021report]",
      "\\citep[p.~3]{doe2020autonomous} \\citep[see][]{who2021report}",
    ],
    ["[@doe2020autonomous; @who2021report]", "\\citep{doe2020autonomous,who2021report}"],
    ["@doe2020autonomous", "\\citet{doe2020autonomous}"],
    ["[-@doe2020autonomous]", "\\citeyearpar{doe2020autonomous}"],
  ])("%s", async (body, tex) => {
    expect(await latex(body, { references })).toBe(tex);
  });

  it("figures of the workspace; what can't be included leaves its caption", async () => {
    const images = new Map([["a/p.png", new Uint8Array([1])]]);
    const paper = paperWith("![Cap](a/p.png){#fig:p}\n\n![Gone](b.png)\n\nSee @fig:p.", { images });
    const { files, findings } = await exportPaper(paper, "latex");
    expect(files.map((file) => file.path)).toEqual(["paper.tex", "figures/p.png"]);
    expect(files[0]?.content).toContain(
      "\\includegraphics[width=\\linewidth]{figures/p.png}\n\\caption{Cap}\n\\label{fig:p}",
    );
    expect(files[0]?.content).not.toContain("b.png");
    expect(findings).toEqual([{ kind: "broken-image", section: "s_1", offset: 25, text: "b.png" }]);
    expect(imagePaths(paper)).toEqual(["a/p.png", "b.png"]);
  });

  it("characters that pdfTeX lacks ask for LuaTeX", async () => {
    expect(await exported(paperWith("漢"), "latex")).toMatch(/^% !TEX program = lualatex\n/);
    expect(await exported(paperWith("α ≤ Ṣ"), "latex")).toContain("\\DeclareUnicodeCharacter{1E62}{\\d{S}}");
  });
});

describe("formulas that stay text", () => {
  it.each([
    "\\input{x}",
    "\\write18{ls}",
    "\\def\\a{}",
    "a } b",
    "{",
    "x % y",
    "^^5cinput",
    "\\begin{document}",
    "a & b",
    "\\\\input{x",
    "\\csname x\\endcsname",
    "x $ y",
  ])("%s", (tex) => {
    expect(isSafeMath(tex)).toBe(false);
  });
  it.each([
    "x^2",
    "\\frac{a}{b}",
    "\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}",
    "\\text{if } x",
    "\\left\\{ x \\right.",
    "50\\%",
    "\\defeq",
  ])("not %s", (tex) => {
    expect(isSafeMath(tex)).toBe(true);
  });
});

describe("Markdown", () => {
  it("keeps bodies, numbers citations, closes fences", async () => {
    const text = await exported(
      paperWith("As [@who2021report, p. 2] and `[@who2021report]` and @sec:one.\n\n```\nopen", {
        references,
      }),
      "md",
    );
    expect(text).toBe(
      "# T\n\nAnn\n\n## One\n\nAs [\\[1, p. 2\\]](#references) and `[@who2021report]` and [Section 1](#one).\n\n" +
        "```\nopen\n```\n\n## References\n\n" +
        '1. World Health Organization and Friends, Inc. (2021). A "report" with -- dashes, \\`ticks\' and \\\\input{/etc/passwd}. WHO.\n',
    );
  });

  it("by author and year", async () => {
    const text = await exported(
      paperWith("[@doe2020autonomous] @doe2020autonomous [-@doe2020autonomous]", {
        references,
        citationStyle: "author-year",
      }),
      "md",
    );
    expect(text).toContain(
      "[(Doe and van der Berg 2020)](#references) [Doe and van der Berg (2020)](#references) [(2020)](#references)",
    );
  });

  it("notes of several texts keep apart", async () => {
    const sections = ["a", "b"].map((id) => ({
      id,
      depth: 1,
      title: id,
      label: id,
      body: `x[^1]\n\n[^1]: ${id}`,
    }));
    expect(await exported(paperWith("", { sections }), "md")).toContain("x[^1-2]\n\n[^1-2]: b");
  });
});

describe("HTML", () => {
  it("holds no script, no request and no markup of the text", async () => {
    const text = await exported(
      paperWith(
        "Text <script>alert(1)</script> [x](javascript:alert(1)) ![i](https://evil.example/x.png) $\\href{javascript:alert(1)}{x}$ $x^2$",
      ),
      "html",
    );
    expect(text).not.toMatch(/<script|href="javascript|src="http/i);
    expect(text).toContain("&lt;script&gt;");
    expect(text).toContain("<math");
    expect(text).toContain("default-src 'none'");
  });
});

describe("findings", () => {
  it("each with section, offset and text", () => {
    const paper = paperWith("[@nobody] @sec:none ~~x~~ $\\input{x}$ <b> 漢 ![a](../x.png)", {
      sections: [
        {
          id: "s_1",
          depth: 1,
          title: "One",
          label: "one",
          body: "[@nobody] @sec:none ~~x~~ $\\input{x}$ <b> 漢 ![a](../x.png)",
        },
        { id: "s_2", depth: 1, title: "Two", label: "two", body: "" },
      ],
      references: [{ key: "doe", item: { title: "T" }, verified: false, quote: "words  said" }],
      sourceTexts: new Map([["doe", "other words"]]),
    });
    expect(
      checkPaper(paper).map(({ kind, section, offset, text }) => `${kind} ${section} ${offset} ${text}`),
    ).toEqual([
      "unknown-citation s_1 0 nobody",
      "unknown-label s_1 10 sec:none",
      "struck-text s_1 20 x",
      "unsafe-math s_1 26 \\input{x}",
      "raw-html s_1 38 <b>",
      "unmapped-character s_1 42 漢",
      "broken-image s_1 44 ../x.png",
      "empty-section s_2 0 Two",
      "unverified-reference  0 doe",
      "uncited-reference  0 doe",
      "quote-not-found  0 doe",
    ]);
  });

  it("a quote is found with its blanks folded", () => {
    const paper = paperWith("@doe", {
      references: [{ key: "doe", item: {}, verified: true, quote: "words\n said" }],
      sourceTexts: new Map([["doe", "The words   said here"]]),
    });
    expect(checkPaper(paper)).toEqual([]);
  });
});

describe("BibTeX", () => {
  it("reads what others wrote", () => {
    const { references: found, problems } = referencesOfBibtex(`
      A comment. @string{jcs = "Journal of Computer Science"}
      @Article{key:1, author = "Ludwig van Beethoven and {\\"O}zg{\\"u}r, A. and {The Group}", title = {The {ABC} of M\\'exico -- 100\\%},
        journal = jcs # " B", year = 2020, month = mar, pages = "1--9", doi = {https://doi.org/10.1/a\\_b}, number=3 }
      @book(broken, title = {never ends
      @misc{web, title = {Page}, howpublished = {\\url{https://a.b/c}}, note = {Accessed 2026-03-05}}`);
    expect(found[0]).toEqual({
      key: "key:1",
      item: {
        type: "article-journal",
        title: "The ABC of México – 100%",
        author: [
          { "non-dropping-particle": "van", family: "Beethoven", given: "Ludwig" },
          { family: "Özgür", given: "A." },
          { literal: "The Group" },
        ],
        issued: { "date-parts": [[2020, 3]] },
        "container-title": "Journal of Computer Science B",
        issue: "3",
        page: "1-9",
        DOI: "10.1/a_b",
      },
    });
    expect(found[1]).toMatchObject({
      key: "web",
      item: { type: "webpage", URL: "https://a.b/c", accessed: { "date-parts": [[2026, 3, 5]] } },
    });
    expect(problems).toEqual([{ line: 5, message: "a value does not end" }]);
  });

  it("sorts by key and protects capitals", () => {
    expect(
      bibtexOf([
        { key: "b", item: { title: "On DNA and Things" } },
        { key: "a", item: {} },
      ]),
    ).toBe("@misc{a,\n}\n\n@misc{b,\n  title = {On {DNA} and Things},\n}\n");
  });
});

describe("keys", () => {
  it("family, year, first word that says something", () => {
    const item = {
      author: [{ family: "Doe-Smith", given: "J" }],
      issued: { "date-parts": [[2020]] },
      title: "The Autonomous Agents",
    };
    expect(referenceKey(item, () => false)).toBe("doesmith2020autonomous");
    expect(referenceKey(item, (key) => key === "doesmith2020autonomous")).toBe("doesmith2020autonomousa");
    expect(referenceKey({ author: [{ family: "Çağlar" }], title: "Über Straßen" }, () => false)).toBe(
      "caglaruber",
    );
    expect(referenceKey({}, () => false)).toBe("ref");
  });
});

describe("speed", () => {
  it("600 kB and 500 references become every format", async () => {
    const many = Array.from({ length: 500 }, (_, at) => ({
      key: `key${at}`,
      item: { title: `Title ${at}`, author: [{ family: `Doe${at}`, given: "J" }] },
      verified: true,
      quote: "",
    }));
    const paragraph = (at: number): string =>
      `${"Some words with *emphasis* and $x_1$ here. ".repeat(8)}[@key${at % 500}]\n\n`;
    const sections = Array.from({ length: 20 }, (_, n) => ({
      id: `s_${n}`,
      depth: 1,
      title: `S ${n}`,
      label: `s-${n}`,
      body: Array.from({ length: 82 }, (_one, at) => paragraph(n * 82 + at)).join(""),
    }));
    for (const format of ["md", "latex", "html", "bib"] as const)
      expect((await exported(paperWith("", { sections, references: many }), format)).length).toBeGreaterThan(
        10_000,
      );
    expect(torturePaper.sections.length).toBe(6);
  });
});
