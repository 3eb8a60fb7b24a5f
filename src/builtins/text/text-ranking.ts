/** Ranking texts by the words of a query: what `std/memory` and searches of scripts stand on. */
import { rankByWords } from "../../model/index.ts";
import { defineBuiltins } from "../../table/index.ts";
import { Dict, Float, List } from "../../values/index.ts";
import { type Argument, needList, textOf } from "../arguments.ts";

export const textRanking = defineBuiltins("strings", {
  rank_by_words: {
    doc:
      "Which texts share words with a query, best first (BM25): `{index, score}`. Words are runs of letters and digits in any " +
      "case; equal scores keep the order of the list.",
    sig: "(texts: list<string>, query: string) -> list<{index: int, score: float}>",
    effect: "pure",
    example: 'rank_by_words(["a red fox", "a blue bird"], "Blue?")[0].index  // 1',
    run: (_task, texts: Argument, query: Argument) => {
      const items = needList("rank_by_words", texts).toArray();
      const ranked = rankByWords(
        textOf(query),
        items.map((text) => textOf(text)),
      );
      return new List(ranked.map(({ index, score }) => Dict.of({ index, score: new Float(score) })));
    },
  },
});
