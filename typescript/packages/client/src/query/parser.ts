/** The parser of ask lines: a machine that runs the tables of `grammar.ts`. */

import { END, RULES, STATES, SYMBOLS } from "./grammar.js";
import { type Token } from "./lexer.js";

/** The kind of the token that stands behind the last one. */
export const LINE_END = "$END";

/** A token where no rule allows it. */
export class TokenError extends Error {
  override readonly name = "TokenError";
  readonly token: Token;

  constructor(token: Token) {
    super("no rule allows this token here");
    this.token = token;
  }
}

interface Rule {
  readonly origin: string;
  readonly becomes: string;
  readonly parts: string;
  readonly size: number;
}

const RULE_LIST: readonly Rule[] = RULES.map((text) => {
  const [origin = "", becomes = "", parts = ""] = text.split(":");
  return { origin, becomes, parts, size: parts.replaceAll("0", "").length };
});

const TABLE: readonly ReadonlyMap<string, number>[] = STATES.map((row) => {
  const numbers = row.split(" ").map(Number);
  const moves = new Map<string, number>();
  for (let at = 0; at < numbers.length; at += 2) moves.set(SYMBOLS[numbers[at] ?? 0] ?? "", numbers[at + 1] ?? 0);
  return moves;
});

const TERMINALS = SYMBOLS.filter((symbol) => symbol === symbol.toUpperCase());

/** What is on the stack: a token, what a rule made of its parts, the parts of a repetition, or nothing. */
export type Held<Piece> = Token | Piece | null | readonly Held<Piece>[];
/** What stands in a place of a rule. */
export type Part<Piece> = Token | Piece | null;
/** Makes something of the parts of a rule. */
export type Reduce<Piece> = (rule: string, parts: readonly Part<Piece>[]) => Piece;

/** Reads tokens one by one; `reduce` is called for each rule as soon as its parts have been read. */
export class Parser<Piece extends object> {
  readonly #reduce: Reduce<Piece>;
  readonly #states: number[] = [0];
  readonly #held: Held<Piece>[] = [];

  constructor(reduce: Reduce<Piece>) {
    this.#reduce = reduce;
  }

  /**
   * Reads the next token.
   *
   * @throws {TokenError}
   */
  feed(token: Token): void {
    for (;;) {
      const move = TABLE[this.#states.at(-1) ?? 0]?.get(token.kind);
      if (move === undefined) throw new TokenError(token);
      if (move > 0) {
        this.#states.push(move - 1);
        this.#held.push(token);
        return;
      }
      const rule = ruleOf(move);
      const parts = rule.size === 0 ? [] : this.#held.splice(-rule.size);
      this.#held.push(this.#build(rule, parts));
      goOn(this.#states, rule);
      if (token.kind === LINE_END && this.#states.at(-1) === END) return;
    }
  }

  #build(rule: Rule, held: readonly Held<Piece>[]): Held<Piece> {
    const parts: Part<Piece>[] = [];
    let at = 0;
    for (const kind of rule.parts) {
      const each = kind === "0" ? null : (held[at] ?? null);
      if (kind !== "0") at += 1;
      if (isRepetition(each)) parts.push(...(each as readonly Part<Piece>[]));
      else parts.push(each);
    }
    return rule.becomes.startsWith("_") ? parts : this.#reduce(rule.becomes, parts);
  }

  /** What the whole line became, once its end was read. */
  result(): Held<Piece> | undefined {
    return this.#held[0];
  }

  /** The token that was read last, if nothing was made of it yet. */
  lastToken(): Token | undefined {
    const last = this.#held.at(-1) ?? null;
    return isToken(last) ? last : undefined;
  }

  /** The kinds of tokens that may come next. */
  accepted(): Set<string> {
    const here = TABLE[this.#states.at(-1) ?? 0];
    return new Set(TERMINALS.filter((kind) => here?.has(kind) === true && canTake(this.#states, kind)));
  }
}

function isRepetition<Piece>(held: Held<Piece>): held is readonly Held<Piece>[] {
  return Array.isArray(held);
}

/** Whether something is a token, and no piece that a rule made. */
export function isToken(held: unknown): held is Token {
  return typeof held === "object" && held !== null && "kind" in held && "start" in held;
}

function ruleOf(move: number): Rule {
  const rule = RULE_LIST[-move - 1];
  if (rule === undefined) throw new Error("the tables of the grammar are damaged");
  return rule;
}

function goOn(states: number[], rule: Rule): void {
  states.length -= rule.size;
  states.push((TABLE[states.at(-1) ?? 0]?.get(rule.origin) ?? 1) - 1);
}

function canTake(before: readonly number[], kind: string): boolean {
  const states = [...before];
  for (;;) {
    const move = TABLE[states.at(-1) ?? 0]?.get(kind);
    if (move === undefined) return false;
    if (move > 0) return true;
    goOn(states, ruleOf(move));
    if (kind === LINE_END && states.at(-1) === END) return true;
  }
}
