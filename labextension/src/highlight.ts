import { type Extension, Prec, RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { type AskKind, askTokens, cellQuestionStart, questionStart } from "./ask-tokens.js";

const MOST_CHARS = 10_000; // of a question; behind them nothing is coloured

/** Colours questions where the cell is one of Python, which is known only once its kernel has told its language. */
export function highlight(isOn: () => boolean): Extension {
  class AskHighlighter {
    decorations: DecorationSet;
    #wasOn: boolean;

    constructor(view: EditorView) {
      this.#wasOn = isOn();
      this.decorations = this.#wasOn ? decorate(view) : Decoration.none;
    }

    update({ docChanged, viewportChanged, view }: ViewUpdate): void {
      if (!docChanged && !viewportChanged && isOn() === this.#wasOn) return;
      this.#wasOn = isOn();
      this.decorations = this.#wasOn ? decorate(view) : Decoration.none;
    }
  }
  // The colours of Python stand in the outer elements then.
  return Prec.highest(ViewPlugin.fromClass(AskHighlighter, { decorations: ({ decorations }) => decorations }));
}

function decorate({ state: { doc }, visibleRanges }: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const mark = (at: number, question: string): void => {
    for (const { from, to, kind } of askTokens(question)) builder.add(at + from, at + to, MARKS[kind]);
  };
  const whole = cellQuestionStart(doc.line(1).text);
  if (whole >= 0) {
    mark(whole, doc.sliceString(whole, whole + MOST_CHARS));
    return builder.finish();
  }
  let done = 0; // two ranges may share a line
  for (const { from, to } of visibleRanges) {
    for (let number = Math.max(doc.lineAt(from).number, done + 1); number <= doc.lineAt(to).number; number += 1) {
      const line = doc.line(number);
      const start = questionStart(line.text.slice(0, MOST_CHARS));
      if (start >= 0) mark(line.from + start, line.text.slice(start, start + MOST_CHARS));
      done = number;
    }
  }
  return builder.finish();
}

const markOf = (kind: AskKind): Decoration => Decoration.mark({ class: `service-ask service-ask-${kind}` });
const MARKS: Readonly<Record<AskKind, Decoration>> = {
  aggregation: markOf("aggregation"),
  keyword: markOf("keyword"),
  name: markOf("name"),
  number: markOf("number"),
  option: markOf("option"),
  remark: markOf("remark"),
  string: markOf("string"),
  variable: markOf("variable"),
};
