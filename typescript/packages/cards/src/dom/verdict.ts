import type { Status } from "../blocks.js";
import type { CardEnvironment } from "../environment.js";
import { type CheckLine, type Failure, type Headline, pendingLabel } from "../headline.js";
import { data, element, shown } from "./element.js";
import { icon, type IconName } from "./icon.js";

export type State = Headline["state"] | "pending";

const ICONS: Readonly<Record<State, IconName>> = {
  verified: "passed",
  unaltered: "open",
  consistent: "open",
  not_checkable: "open",
  altered: "failed",
  pending: "pending",
};

/** The line that says what the verification says; a screen reader is told when it changes. */
export function verdictElement(): HTMLElement {
  const made = element("div", "service-verdict");
  made.setAttribute("aria-live", "polite");
  return made;
}

/** What came of it, beside the verdict: of an answer only how it came about, of all else also what it is. */
export function statusElement({ tone, label, note }: Status): HTMLElement {
  const line = element("div", "service-status");
  if (tone !== "answered") line.append(icon(tone), element("strong", "service-label", shown(label)));
  if (note !== "") line.append(data("span", "service-note", note));
  return line;
}

/** Shows that the verdict is being reached. */
export function showPending(line: HTMLElement, { say }: Pick<CardEnvironment, "say">): void {
  line.replaceChildren(labelled("pending", pendingLabel(say)));
}

/** Shows a verdict in one line, or what failed below it; `stated` is the digest that the card states for that check. */
export function showVerdict(
  line: HTMLElement,
  { state, label, failure }: Headline,
  environment: Pick<CardEnvironment, "say">,
  stated: string,
): void {
  line.replaceChildren(labelled(state, label));
  if (failure !== undefined) line.append(failureElement(failure, environment, stated));
}

function labelled(state: State, label: string): HTMLElement {
  return element("div", "service-verdict-line", icon(ICONS[state]), element("strong", "service-label", shown(label)));
}

/** What is said calmly of a verdict, among the details: whose signature it is, and what can be done. */
export function notesElement(notes: readonly string[]): HTMLElement {
  const list = element("ul", "service-verdict-notes", ...notes.map((note) => element("li", "", shown(note))));
  list.setAttribute("role", "list");
  return list;
}

function failureElement(failure: Failure, { say }: Pick<CardEnvironment, "say">, stated: string): HTMLElement {
  const lines: readonly (readonly [string, string])[] = [
    [say("Check"), failure.check],
    [say("Found"), failure.found],
    ...(stated === "" ? [] : [[say("Recorded"), stated] as const]),
    [say("What to do"), failure.remedy],
  ];
  const rows = lines.map(([label, text]) =>
    element("div", "service-fact", element("dt", "service-label", label), element("dd", "service-lines", shown(text))),
  );
  return element("dl", "service-failure", ...rows);
}

const SIGNS: Readonly<Record<CheckLine["status"], IconName>> = {
  passed: "check",
  failed: "failed",
  not_checkable: "open",
};

const CLASSES: Readonly<Record<CheckLine["status"], string>> = {
  passed: "passed",
  failed: "failed",
  not_checkable: "open",
};

/** All checks, in the order in which they were made. */
export function checksElement(checks: readonly CheckLine[], { say }: Pick<CardEnvironment, "say">): HTMLElement {
  const words = { passed: say("passed"), failed: say("failed"), not_checkable: say("open") };
  const list = element("ul", "service-checks");
  list.setAttribute("role", "list");
  list.setAttribute("aria-label", say("Checks"));
  for (const { label, status, said, cause } of checks) {
    const item = element("li", `service-check service-check-${CLASSES[status]}`, icon(SIGNS[status]));
    item.append(element("span", "service-check-label", label), element("span", "service-check-status", words[status]));
    if (said !== "") item.append(element("span", "service-note", said));
    if (cause !== "") item.append(element("code", "service-code", cause));
    list.append(item);
  }
  return list;
}
