/**
 * From the grammar that Chevrotain recorded to the lookahead tables that the parser runs on (lookahead.ts).
 *
 * Only `scripts/make-grammar.ts` and the test that compares its output run this: recording and analysing the grammar
 * takes longer than parsing a script, so it is done when the grammar changes and not when a program starts.
 * One token of lookahead decides; where it does not, alternatives carry a `GATE`. That no choice is left ambiguous is
 * checked by Chevrotain's own validations in the same test.
 */
import {
  Alternation,
  Alternative,
  type IProduction,
  NonTerminal,
  Option,
  Repetition,
  RepetitionMandatory,
  RepetitionMandatoryWithSeparator,
  RepetitionWithSeparator,
  type Rule,
  Terminal,
  type TokenType,
} from "chevrotain";
import type { Choice, LookaheadTables } from "./lookahead.ts";
import { T } from "./tokens.ts";

/** Chevrotain's method keys (its `grammar/keys.ts`): the kind of a choice in the upper bits, its number in the lower 8. */
const KINDS: readonly [kind: abstract new (...args: never[]) => IProduction, key: number][] = [
  [Alternation, 1 << 8],
  [Option, 2 << 8],
  [Repetition, 3 << 8],
  [RepetitionMandatory, 4 << 8],
  [RepetitionWithSeparator, 5 << 8],
  [RepetitionMandatoryWithSeparator, 6 << 8],
];

interface First {
  readonly types: ReadonlySet<TokenType>;
  /** Can it match nothing? */
  readonly empty: boolean;
}

/** Computes the tables of a recorded grammar. */
export function computeTables(grammar: Readonly<Record<string, Rule>>): LookaheadTables {
  return new Analysis().tables(Object.values(grammar));
}

class Analysis {
  private readonly firsts = new Map<Rule, First>();
  private readonly indexOfType = new Map(
    Object.values(T).map((type, index): [TokenType, number] => [type, index]),
  );
  private readonly sets: number[][] = [];
  private readonly indexOfSet = new Map<string, number>();

  tables(rules: readonly Rule[]): LookaheadTables {
    const choices = rules.map((rule) => this.choicesOf(rule));
    return { rules: rules.map((rule) => rule.name), sets: this.sets, choices };
  }

  private choicesOf(rule: Rule): Choice[] {
    const choices: Choice[] = [];
    visit(rule.definition, (production) => {
      const kind = KINDS.find(([type]) => production instanceof type);
      if (kind === undefined) return;
      const key = kind[1] | (production as unknown as { idx: number }).idx;
      if (production instanceof Alternation) {
        const gated = (production as unknown as { hasPredicates: boolean }).hasPredicates;
        choices.push([
          key,
          parts(production).map((alternative) => this.set(parts(alternative), rule)),
          gated ? 1 : 0,
        ]);
      } else {
        choices.push([key, this.set(parts(production), rule)]);
      }
    });
    return choices;
  }

  /** Number of the FIRST set of a sequence. */
  private set(sequence: readonly IProduction[], rule: Rule): number {
    const first = this.sequence(sequence);
    if (first.empty)
      throw new Error(`a choice of rule ${rule.name} can be empty: one token cannot decide it`);
    const members = [...first.types].map((type) => this.indexOfType.get(type)!).sort((a, b) => a - b);
    const text = members.join();
    let index = this.indexOfSet.get(text);
    if (index === undefined) {
      index = this.sets.push(members) - 1;
      this.indexOfSet.set(text, index);
    }
    return index;
  }

  private sequence(productions: readonly IProduction[]): First {
    const types = new Set<TokenType>();
    for (const production of productions) {
      const first = this.first(production);
      for (const type of first.types) types.add(type);
      if (!first.empty) return { types, empty: false };
    }
    return { types, empty: true };
  }

  private first(production: IProduction): First {
    if (production instanceof Terminal) return { types: new Set([production.terminalType]), empty: false };
    if (production instanceof NonTerminal) return this.ofRule(production.referencedRule);
    const inside = parts(production);
    if (inside[0] instanceof Alternative) {
      const each = inside.map((alternative) => this.sequence(parts(alternative)));
      return { types: new Set(each.flatMap((one) => [...one.types])), empty: each.some((one) => one.empty) };
    }
    const first = this.sequence(inside);
    const optional =
      production instanceof Option ||
      production instanceof Repetition ||
      production instanceof RepetitionWithSeparator;
    return optional ? { types: first.types, empty: true } : first;
  }

  private ofRule(rule: Rule): First {
    let first = this.firsts.get(rule);
    if (first === undefined) {
      first = this.sequence(rule.definition);
      this.firsts.set(rule, first);
    }
    return first;
  }
}

function parts(production: IProduction): IProduction[] {
  return (production as unknown as { definition?: IProduction[] }).definition ?? [];
}

/** Visits the productions of a rule, at any depth; other rules are not entered. */
function visit(definition: readonly IProduction[], use: (production: IProduction) => void): void {
  for (const production of definition) {
    use(production);
    if (!(production instanceof NonTerminal)) visit(parts(production), use);
  }
}
