export { ALLOWED_ATTRIBUTES, ALLOWED_SVG_ATTRIBUTES, LOOK_ATTRIBUTE } from "./allowed.js";
export { compose } from "./compose.js";
export { withoutPlan } from "./compose/heads.js";
export { csvText, markdownText } from "./export.js";
export { lines as linesOf, SHORT_DIGEST } from "./format.js";
export { wordsOf } from "./causes.js";
export { headline, pendingLabel } from "./headline.js";
export { chartElement } from "./chart.js";
export { type Digits, digitsIn, digitsOf, FACE_DIGITS, rounded } from "./digits.js";
export { isReplayable, resultId } from "./identity.js";
export { linesElement } from "./lines.js";
export { formulaText } from "./formula.js";
export { isPlainLatex } from "./latex.js";
export { tableElement } from "./table.js";
export { clip, visible, width } from "./visible.js";
export { CardView } from "./view.js";

export type {
  Block,
  Command,
  Commands,
  Fact,
  Facts,
  Figure,
  Formula,
  HashedText,
  Head,
  Sentence,
  Span,
  Status,
  Table,
  Title,
  Tone,
} from "./blocks.js";
export type { CardEnvironment, Loading, ResultKeeper } from "./environment.js";
export type { Lines } from "./lines.js";
export type { CheckLine, Context, Failure, Headline, Owner } from "./headline.js";
