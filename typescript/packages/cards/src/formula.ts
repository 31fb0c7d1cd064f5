/** Formulas as readable text, as `service_nb/cards/formulas.py` writes them: `c_t/(1 + r)^t` wherever nothing sets mathematics. */

const MOST_CHARS = 5_000; // the longest of the contract has four thousand
const MOST_DEEP = 60; // parts in parts
const TOKEN = /\\[A-Za-z]+|\\[^]|[ \t\r\n\f\v]+|[^]/gu;
const WORD_SPACE = "\ue000"; // of a name of several words, which is one thing
const THIN = "\ue001";
const ENDS_WORD = /[\p{L}\p{N}_\ue000]$/u;
const BEGINS_WORD = /^[\p{L}\p{N}_]/u;
const SIMPLE = /^[\p{L}\p{N}_.\ue000]+$/u;
const OPENING = "([{⌊⌈";
const CLOSING = ")]}⌋⌉";
const LOOSE = " +-=<>≤≥≠∈~±×,;|→"; // what needs brackets inside of a fraction or a script

const RAISED = zipped("0123456789+-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ");
const LOWERED = zipped("0123456789", "₀₁₂₃₄₅₆₇₈₉");
const LETTERS = paired(
  "alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ kappa κ lambda λ mu μ nu ν xi ξ pi π " +
    "rho ρ sigma σ tau τ phi φ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Lambda Λ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω " +
    "infty ∞ ell ℓ hbar ħ partial ∂ top ᵀ perp ⊥ ldots … ddagger ‡ circ ° lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ " +
    "cdot · times × pm ± bmod mod",
);
const RELATIONS = paired("le ≤ ge ≥ ne ≠ in ∈ sim ~ cap ∩ cup ∪");
const LIMITED = paired("sum ∑ prod ∏ int ∫ min min max max");
const ACCENTS = paired("bar bar overline bar hat hat tilde tilde dot dot");
const FUNCTIONS = new Set("sin cos tan arcsin arccos arctan sinh cosh tanh ln log exp arg".split(" "));
const STYLES = new Set("mathrm mathbf mathsf mathcal text operatorname".split(" "));

/** A formula so that it can be read without mathematics being set; the text as it is computed where the LaTeX is none. */
export function formulaText(text: string, latex: string): string {
  if (latex.length > MOST_CHARS) return text;
  try {
    const lines = new FormulaReader(latex).lines();
    return lines.length === 0 ? text : lines.join("\n");
  } catch (error) {
    if (error instanceof UnreadableFormula) return text === "" ? latex : text;
    throw error;
  }
}

class UnreadableFormula extends Error {}

/** Reads LaTeX that holds mathematics alone, from left to right. */
class FormulaReader {
  readonly #tokens: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(latex: string) {
    this.#tokens = Array.from(latex.matchAll(TOKEN), ([token]) => (/^[ \t\r\n\f\v]/.test(token) ? " " : token));
  }

  lines(): readonly string[] {
    return this.#until("")
      .split("\n")
      .map((line) => tidy(line).replaceAll(WORD_SPACE, " "))
      .filter((line) => line !== "");
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? "";
  }

  #take(): string {
    const token = this.#peek();
    this.#at += 1;
    return token;
  }

  #skipBlanks(): void {
    while (this.#peek() === " ") this.#at += 1;
  }

  #until(end: string): string {
    let [made, wasWord, before] = ["", false, ""];
    for (let token = this.#take(); token !== end && token !== ""; token = this.#take()) {
      if (token === "^" || token === "_") {
        [made, wasWord, before] = [this.#script(made, token), false, ""];
        continue;
      }
      const name = token.slice(1);
      const isWord = STYLES.has(name) || FUNCTIONS.has(name) || LIMITED.has(name) || ACCENTS.has(name);
      let part = this.#part(token);
      if (FUNCTIONS.has(before) && token === "\\frac") part = `(${part})`;
      const isApart = (wasWord || isWord) && ENDS_WORD.test(made) && BEGINS_WORD.test(part);
      made += isApart ? ` ${part}` : part;
      if (token !== " ") [wasWord, before] = [isWord, name];
    }
    return made;
  }

  #part(token: string): string {
    this.#depth += 1;
    if (this.#depth > MOST_DEEP) throw new UnreadableFormula();
    const part = this.#read(token);
    this.#depth -= 1;
    return part;
  }

  #read(token: string): string {
    if (token === "{") return this.#until("}");
    if (token === "&") return " ";
    if (token.startsWith("\\")) return this.#command(token.slice(1));
    return "=<>".includes(token) && token !== "" ? ` ${token} ` : token;
  }

  #argument(): string {
    this.#skipBlanks();
    const token = this.#take();
    return tidy(token === "{" ? this.#until("}") : this.#part(token));
  }

  #command(name: string): string {
    const letter = LETTERS.get(name);
    if (letter !== undefined) return letter;
    const relation = RELATIONS.get(name);
    if (relation !== undefined) return ` ${relation} `;
    if (FUNCTIONS.has(name)) return name;
    const sign = LIMITED.get(name);
    if (sign !== undefined) return this.#limits(sign);
    if (name === "text") return ` ${this.#argument()} `;
    if (STYLES.has(name)) return this.#argument().replaceAll(" ", WORD_SPACE);
    const accent = ACCENTS.get(name);
    return accent === undefined ? this.#construct(name) : `${bracketed(this.#argument())}_${accent}`;
  }

  #construct(name: string): string {
    switch (name) {
      case "frac":
        return this.#fraction();
      case "sqrt":
        return this.#root();
      case "binom":
        return `C(${this.#argument()}, ${this.#argument()})`;
      case "phantom":
        this.#argument();
        return "";
      case "xrightarrow":
        return ` →(${this.#argument()}) `;
      case "left":
      case "right":
        return this.#bracket();
      case "begin":
        return this.#environment();
      case "quad":
        return "  ";
      case "\\":
        return "\n";
      case ",":
        return THIN;
    }
    if (/^\p{L}+$/u.test(name)) throw new UnreadableFormula();
    return name === " " || name === ";" || name === ":" ? " " : name === "!" ? "" : name;
  }

  #bracket(): string {
    const token = this.#take();
    return token === "." || token === "" ? "" : this.#part(token);
  }

  #fraction(): string {
    const [top, bottom] = [this.#argument(), this.#argument()];
    return `${isTight(top) ? top : `(${top})`}/${isTight(bottom, "·/") ? bottom : `(${bottom})`}`;
  }

  #root(): string {
    let degree = "";
    if (this.#peek() === "[") {
      this.#at += 1;
      degree = this.#until("]");
    }
    const inside = this.#argument();
    return `${raised(degree)}√${SIMPLE.test(inside) ? inside : `(${inside})`}`;
  }

  #limits(sign: string): string {
    let [low, high] = ["", ""];
    this.#skipBlanks();
    while (this.#peek() === "_" || this.#peek() === "^") {
      if (this.#take() === "_") low = this.#argument();
      else high = this.#argument();
      this.#skipBlanks();
    }
    const limits = low === "" && high === "" ? "" : `[${low}${low !== "" && high !== "" ? " … " : ""}${high}]`;
    const isCalled = limits === "" && (this.#peek() === "\\left" || this.#peek() === "(");
    return `${sign}${limits}${isCalled ? "" : " "}`;
  }

  #environment(): string {
    const name = this.#argument();
    const inside = this.#until("\\end");
    this.#argument();
    if (name === "aligned") return inside;
    const rows = inside.split("\n").map((row) => tidy(row));
    return `{${rows.filter((row) => row !== "").join("; ")}}`;
  }

  #script(made: string, sign: string): string {
    this.#skipBlanks();
    const script = this.#argument();
    const base = made.replace(/ +$/, "");
    if (sign === "^") {
      if (script === "°" || script === "ᵀ") return base + script;
      const short = raised(script);
      return base + (short === "" ? `^${bracketed(script)}` : short);
    }
    const lowered = spelled(script, LOWERED);
    return base + (lowered ?? `_${bracketed(script)}`);
  }
}

function zipped(keys: string, values: string): ReadonlyMap<string, string> {
  const listed = Array.from(values);
  return new Map(Array.from(keys, (key, at) => [key, listed[at] ?? ""]));
}

function paired(words: string): ReadonlyMap<string, string> {
  const listed = words.split(" ");
  return new Map(listed.flatMap((word, at) => (at % 2 === 0 ? [[word, listed[at + 1] ?? ""] as const] : [])));
}

/** Text in other characters, if every one of its own has one. */
function spelled(text: string, signs: ReadonlyMap<string, string>): string | undefined {
  const made = Array.from(text, (each) => signs.get(each));
  return made.includes(undefined) ? undefined : made.join("");
}

function raised(text: string): string {
  return text.length <= 3 ? (spelled(text, RAISED) ?? "") : "";
}

function bracketed(text: string): string {
  return isTight(text, "·/^") ? text : `(${text})`;
}

/** Whether text reads as one thing beside an operator: no looser operator stands outside of its brackets. */
function isTight(text: string, also = ""): boolean {
  let depth = 0;
  for (const each of text) {
    depth += OPENING.includes(each) ? 1 : CLOSING.includes(each) ? -1 : 0;
    if (depth === 0 && (LOOSE.includes(each) || also.includes(each))) return false;
  }
  return text !== "";
}

/** Collapses blanks; a thin space is a product, unless something stands beside it that is none of its factors. */
function tidy(text: string): string {
  return text
    .replace(/ *\ue001 */g, THIN)
    .replace(/(?<=[\p{L}\p{N}_)\]}⌋⌉!|])\ue001(?=[\p{L}\p{N}_([{⌊⌈√∑∏∫|])(?!d ?[a-z](?![\p{L}\p{N}_]))/gu, "·")
    .replaceAll(THIN, " ")
    .replace(/ +/g, " ")
    .replace(/^ +| +$/g, "")
    .replace(/(?<=[([⌊⌈]) | (?=[)\]⌋⌉,;!])/g, "");
}
