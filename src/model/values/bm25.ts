/** Ranking of short texts by the words of a query (Okapi BM25). Nothing is kept: a few hundred texts take a millisecond. */

/** How fast repeated words stop counting, and how much long texts are held back. */
const saturation = 1.2;
const lengthWeight = 0.75;

/** Words: runs of letters and digits, in small letters. */
export function bm25Words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

interface SearchRank {
  /** Position of the text in the list. */
  readonly index: number;
  readonly score: number;
}

/** The texts that share a word with the query, best first; equal ones in their own order. */
export function rankByWords(query: string, texts: readonly string[]): SearchRank[] {
  const terms = [...new Set(bm25Words(query))];
  const documents = texts.map(bm25Words);
  const average = documents.reduce((sum, words) => sum + words.length, 0) / Math.max(documents.length, 1);
  const weights = new Map(terms.map((term) => [term, rarity(term, documents)]));
  return documents
    .map((words, index) => ({ index, score: bm25Score(terms, words, weights, average) }))
    .filter((ranked) => ranked.score > 0)
    .sort((a, b) => b.score - a.score || a.index - b.index);
}

/** Always above zero: a word that all texts have still tells them from none. */
function rarity(term: string, documents: readonly (readonly string[])[]): number {
  const having = documents.filter((words) => words.includes(term)).length;
  return Math.log(1 + (documents.length - having + 0.5) / (having + 0.5));
}

function bm25Score(
  terms: readonly string[],
  words: readonly string[],
  weights: ReadonlyMap<string, number>,
  average: number,
): number {
  const long = 1 - lengthWeight + (lengthWeight * words.length) / Math.max(average, 1);
  let sum = 0;
  for (const term of terms) {
    const count = words.filter((word) => word === term).length;
    if (count > 0)
      sum += ((weights.get(term) ?? 0) * (count * (saturation + 1))) / (count + saturation * long);
  }
  return sum;
}
