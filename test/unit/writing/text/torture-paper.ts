/** A paper with everything that may stand in one, and what papers get by accident. */
import type { Paper, Reference } from "../../../../src/writing/text/index.ts";

const reference = (key: string, item: Reference["item"]): Reference => ({
  key,
  item,
  verified: true,
  quote: "",
});

/** A PNG of one pixel. */
const pixel = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
  (one) => one.charCodeAt(0),
);

export const references: readonly Reference[] = [
  reference("doe2020autonomous", {
    type: "article-journal",
    title: "Autonomous agents & LaTeX: 100% of the {truth}_value, from DNA to mRNA",
    author: [
      { family: "Doe", given: "Jané" },
      { family: "Berg", given: "Jan", "non-dropping-particle": "van der" },
    ],
    issued: { "date-parts": [[2020, 3]] },
    "container-title": "Journal of #1 Results",
    volume: "12",
    issue: "3",
    page: "86-91",
    DOI: "10.1000/a_b(c)<d>",
    URL: "https://example.org/a_b?x=1&y=%20#z",
  }),
  reference("who2021report", {
    type: "report",
    title: 'A "report" with -- dashes, `ticks\' and \\input{/etc/passwd}',
    author: [{ literal: "World Health Organization and Friends, Inc." }],
    issued: { "date-parts": [[2021]] },
    publisher: "WHO",
    number: 7,
  }),
  reference("roe2019page", {
    type: "webpage",
    title: "A page",
    author: [{ family: "Roe", given: "R. $x$" }],
    issued: { "date-parts": [[2019]] },
    accessed: { "date-parts": [[2026, 3, 5]] },
    URL: "https://example.org/~roe/{x}",
  }),
  reference("smith2018conference", {
    type: "paper-conference",
    title: "On conferences",
    author: [{ family: "Smith", given: "Anna", suffix: "Jr." }],
    issued: { "date-parts": [[2018]] },
    "container-title": "Proceedings",
  }),
];

const body = String.raw`Every special character: \\ { } $ & % # _ ~ ^ < > | " ' ${"`` ` ``"} - -- --- [ ] * ?${"\\`"} !${"\\`"} ,, << >>.

Text with *emphasis*, **strong *both***, ~~gone~~, ${"`code \\ { } % $ _`"}, a [link](https://example.org/a_b?x=1&y=%20#z),
https://example.org/bare_url?x=%25&y=#frag, <joe@example.com>, [no script](javascript:alert(1)) and <b>raw</b> HTML.
Euro €, naïve Ṣ Œuvre α ≤ β → γ, “quotes” – dashes — and… NBSP. Unmapped: 漢字 and 🙂.

[start] of a line
[another] and * a star; a break\
[after] the break.

See @doe2020autonomous, [@doe2020autonomous, p. 3; see @who2021report], [@roe2019page; @smith2018conference],
[-@who2021report] and @sec:methods, @fig:plot. Costs $5 and $6, but $a_b^{c} \leq \frac{1}{2}$ is a formula, $$x^2$$ too.

$$
\begin{align}
a &= b \\
c &= d
\end{align}
$$

Unsafe: $\input{/etc/passwd}$, $\write18{rm -rf /}$, $a } b$ and $^^5cinput x$. Not: $\text{ok}$.

- [x] done [brackets]
- [ ] open
  1. one
  2. two
     - deep
       - deeper
         - deepest
           - too deep
             - far too deep
- [start] of an item

7. seven
8. [eight]

> A quote
> > in a quote with [@doe2020autonomous]

| left | center | right |
|:-----|:------:|------:|
| [a]  | b & c  | 1%    |
| * x  | \|     | ${"`_`"}    |

${"```js"}
let x = "\\end{document}"; // 100% & more
	tabbed
${"```"}

${"```"}
\end{verbatim}
  two  blanks [x]

${"```"}

![A caption with $x$ and \_ under](images/plot.png){#fig:plot}

![missing](nowhere.png) and ![remote](https://example.org/x.png)

A note[^1] and again[^1], and one with code[^code].

[^1]: A note with *emphasis*, [@who2021report] and $x$.
[^code]: Look:

    ${"    let { y } = 100%"}

    and another paragraph.

---

## A heading *within* & more[^1]

<div onclick="x">
block html
</div>
`;

export const torturePaper: Paper = {
  title: "Torture: 100% & #1 _under_ ~tilde^ {braces} \\ $dollar$ “quotes” Ω",
  authors: ["Jané Doe", "J. O'Neill & Sons"],
  abstract: "An *abstract* with $x$ and [@doe2020autonomous].\n\nTwo paragraphs.",
  language: "en",
  citationStyle: "numeric",
  sections: [
    { id: "s_1", depth: 1, title: "Introduction & more", label: "introduction", body },
    { id: "s_2", depth: 1, title: "Methods", label: "methods", body: "As in @sec:introduction.\n" },
    { id: "s_3", depth: 2, title: "Depth 2", label: "depth-2", body: "two" },
    { id: "s_4", depth: 3, title: "Depth 3", label: "depth-3", body: "three" },
    { id: "s_5", depth: 4, title: "Depth 4", label: "depth-4", body: "four" },
    { id: "s_6", depth: 5, title: "Depth 5", label: "depth-5", body: "five [^1]\n\n[^1]: Another note." },
  ],
  references,
  images: new Map([["images/plot.png", pixel]]),
};

/** A paper of one section. */
export const paperWith = (body: string, more: Partial<Paper> = {}): Paper => ({
  title: "T",
  authors: ["Ann"],
  abstract: "",
  language: "en",
  citationStyle: "numeric",
  sections: [{ id: "s_1", depth: 1, title: "One", label: "one", body }],
  references: [],
  ...more,
});
