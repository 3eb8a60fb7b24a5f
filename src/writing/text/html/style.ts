/** How a paper looks on a page and on paper. The page of `harn serve` uses it, too. */
export const paperStyle = `
:root { color-scheme: light dark; }
body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.55 Georgia, "Times New Roman", serif; }
h1, h2, h3, h4, h5, h6 { line-height: 1.25; margin: 1.6em 0 0.5em; }
h1 { text-align: center; }
.authors { text-align: center; }
.abstract { margin: 1.5rem 2rem; }
.abstract h2 { font-size: 1rem; text-align: center; }
pre { overflow-x: auto; padding: 0.6rem; border: 1px solid #8884; font-size: 0.85rem; }
code { font-size: 0.9em; }
table { border-collapse: collapse; margin: 1rem auto; border-top: 2px solid; border-bottom: 2px solid; }
th { border-bottom: 1px solid; }
th, td { padding: 0.2rem 0.6rem; }
.right { text-align: right; }
.center { text-align: center; }
figure { margin: 1.5rem 0; text-align: center; }
img { max-width: 100%; }
blockquote { margin: 1rem 2rem; }
.task { list-style: none; }
.notes, .references { font-size: 0.9rem; }
.references li, .notes li { overflow-wrap: anywhere; }
math[display="block"] { margin: 0.8em 0; }
@media print { body { max-width: none; margin: 0; } a { color: inherit; text-decoration: none; } h2, h3, h4 { break-after: avoid; } figure, table, pre { break-inside: avoid; } }
@page { margin: 2.5cm; }
`;
