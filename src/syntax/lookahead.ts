/**
 * How the parser chooses: one token of lookahead, from FIRST sets that are computed once per rule and on first use.
 *
 * Chevrotain's own strategy enumerates token paths for every choice of the grammar when the parser is made, which is
 * most of its start-up time. This one makes nothing until a choice is first met, and each choice is then one read of
 * a table indexed by token type. Where one token does not decide, the alternative carries a `GATE`. A test builds the
 * parser with Chevrotain's strategy and validations and so checks that no choice is ambiguous.
 */
import {
  Alternation,
  Alternative,
  type ILookaheadStrategy,
  type IOrAlt,
  type IProduction,
  type IToken,
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
import { tokenSet } from "./tokens.ts";

const CLASSES: Readonly<Record<string, abstract new (...args: never[]) => IProduction>> = {
  Option,
  Repetition,
  RepetitionMandatory,
  RepetitionMandatoryWithSeparator,
  RepetitionWithSeparator,
};

/** What a lookahead function sees as `this`: the parser, whose per-rule table it may put its fast form into. */
interface ParserState {
  LA_FAST(distance: number): IToken;
}

type Choose = (this: ParserState, alternatives?: IOrAlt<unknown>[]) => number | undefined;
type Enter = (this: ParserState) => boolean;

interface First {
  readonly types: ReadonlySet<TokenType>;
  /** Can it match nothing? */
  readonly empty: boolean;
}

export class FirstTokenStrategy implements ILookaheadStrategy {
  private readonly rules = new Map<Rule, First>();

  validate(): [] {
    return [];
  }

  buildLookaheadForAlternation(options: {
    prodOccurrence: number;
    rule: Rule;
    hasPredicates: boolean;
  }): (alternatives?: IOrAlt<unknown>[]) => number | undefined {
    let chosen: Choose | undefined;
    const strategy = this;
    const lazy: Choose = function (alternatives) {
      chosen ??= strategy.chooser(options.rule, options.prodOccurrence, options.hasPredicates);
      return chosen.call(this, alternatives);
    };
    return lazy as (alternatives?: IOrAlt<unknown>[]) => number | undefined;
  }

  buildLookaheadForOptional(options: {
    prodOccurrence: number;
    prodType: string;
    rule: Rule;
  }): () => boolean {
    let table: Uint8Array | undefined;
    const strategy = this;
    const lazy: Enter = function () {
      table ??= strategy.entry(options.rule, options.prodOccurrence, options.prodType);
      return table[this.LA_FAST(1).tokenTypeIdx] === 1;
    };
    return lazy as () => boolean;
  }

  /** The table of tokens that begin an optional part. */
  private entry(rule: Rule, occurrence: number, prodType: string): Uint8Array {
    const production = find(
      rule.definition,
      (p) => p instanceof CLASSES[prodType]! && indexOf(p) === occurrence,
    )!;
    return tokenSet(...this.sequence(parts(production)).types);
  }

  private chooser(rule: Rule, occurrence: number, hasPredicates: boolean): Choose {
    const isIt = (p: IProduction): boolean => p instanceof Alternation && indexOf(p) === occurrence;
    const alternation = find(rule.definition, isIt) as Alternation;
    const tables = parts(alternation).map((alternative) => {
      const first = this.sequence(parts(alternative));
      return { table: tokenSet(...first.types), empty: first.empty };
    });
    return hasPredicates ? gated(tables) : direct(tables);
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
    if (inside.length > 0 && inside[0] instanceof Alternative) {
      const each = inside.map((alternative) => this.sequence(parts(alternative)));
      return { types: new Set(each.flatMap((one) => [...one.types])), empty: each.some((one) => one.empty) };
    }
    const first = this.sequence(inside);
    return isOptional(production) ? { types: first.types, empty: true } : first;
  }

  private ofRule(rule: Rule): First {
    let first = this.rules.get(rule);
    if (first === undefined) {
      first = this.sequence(rule.definition);
      this.rules.set(rule, first);
    }
    return first;
  }
}

interface AlternativeTable {
  readonly table: Uint8Array;
  readonly empty: boolean;
}

/** First alternative whose table holds the token; the table of all alternatives is one array. */
function direct(alternatives: readonly AlternativeTable[]): Choose {
  const fallback = alternatives.findIndex((one) => one.empty);
  const choice = new Int16Array(alternatives[0]!.table.length).fill(fallback);
  for (let i = alternatives.length - 1; i >= 0; i--) {
    const { table } = alternatives[i]!;
    for (let type = 0; type < table.length; type++) if (table[type] === 1) choice[type] = i;
  }
  return function () {
    const index = choice[this.LA_FAST(1).tokenTypeIdx]!;
    return index < 0 ? undefined : index;
  };
}

/** The same with gates: the candidates of a token are tried in order. */
function gated(alternatives: readonly AlternativeTable[]): Choose {
  const candidates: number[][] = [];
  for (let type = 0; type < alternatives[0]!.table.length; type++) {
    candidates.push(
      [...alternatives.keys()].filter((i) => alternatives[i]!.table[type] === 1 || alternatives[i]!.empty),
    );
  }
  return function (given) {
    const possible = candidates[this.LA_FAST(1).tokenTypeIdx]!;
    for (let i = 0; i < possible.length; i++) {
      const index = possible[i]!;
      const gate = given![index]!.GATE;
      if (gate === undefined || gate.call(this) !== false) return index;
    }
    return undefined;
  };
}

function parts(production: IProduction): IProduction[] {
  return (production as unknown as { definition?: IProduction[] }).definition ?? [];
}

function indexOf(production: IProduction): number {
  return (production as unknown as { idx: number }).idx;
}

function isOptional(production: IProduction): boolean {
  return (
    production instanceof Option ||
    production instanceof Repetition ||
    production instanceof RepetitionWithSeparator
  );
}

/** The first production inside a definition (at any depth, rules not entered) that satisfies a test. */
function find(
  definition: readonly IProduction[],
  test: (p: IProduction) => boolean,
): IProduction | undefined {
  for (const production of definition) {
    if (test(production)) return production;
    if (production instanceof NonTerminal) continue;
    const inner = find(parts(production), test);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
