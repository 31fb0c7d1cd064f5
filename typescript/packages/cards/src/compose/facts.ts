import type { Fact, Sentence, Span } from "../blocks.js";

export function text(said: string): Span {
  return { text: said, kind: "text" };
}

export function code(said: string): Span {
  return { text: said, kind: "code" };
}

export function digest(hex: string): Span {
  return { text: hex, kind: "digest" };
}

export function fact(label: string, ...lines: readonly (readonly Span[])[]): Fact {
  return { label, lines, isSteps: false };
}

export function steps(label: string, said: readonly string[]): Fact {
  return { label, lines: said.map((step) => [text(step)]), isSteps: true };
}

export function sentence(said: string, role: Sentence["role"]): Sentence {
  return { block: "sentence", text: said, role };
}

/** A fact of lines of words; none where there are no words. */
export function noted(label: string, said: readonly string[]): readonly Fact[] {
  return said.length === 0 ? [] : [fact(label, ...said.map((note) => [text(note)]))];
}
