import { headline, LOOK_ATTRIBUTE } from "@service-nb/cards";
import type { Verdict } from "@service-nb/records";
import { say } from "./environment.js";

/** The verdicts of a document that is more than one card: a notebook with what seals it, a ledger document. */
export function reportElement(verdicts: readonly Verdict[], page: Document): HTMLElement {
  const report = page.createElement("section");
  report.className = "service-card service-source";
  report.setAttribute(LOOK_ATTRIBUTE, "");
  report.setAttribute("role", "region");
  report.setAttribute("aria-label", say("What the verification says"));
  if (verdicts.length === 0) report.append(line(page, "div", "service-message", say("It holds no cards.")));
  else report.append(listOf(verdicts, page));
  return report;
}

function listOf(verdicts: readonly Verdict[], page: Document): HTMLElement {
  const list = page.createElement("ul");
  list.className = "service-report";
  list.setAttribute("role", "list");
  for (const verdict of verdicts) list.append(itemOf(verdict, page));
  return list;
}

function itemOf(verdict: Verdict, page: Document): HTMLElement {
  const { state, sign: mark, label, failure, notes } = headline(verdict, { say });
  const item = page.createElement("li");
  item.className = `service-report-item service-is-${state}`;
  const sign = line(page, "span", "service-report-sign", mark);
  sign.setAttribute("aria-hidden", "true");
  item.append(sign, line(page, "span", "service-report-subject", verdict.subject), line(page, "strong", "", label));
  const more = failure === undefined ? notes : [`${failure.check}: ${failure.found}`];
  for (const each of more) item.append(line(page, "div", "service-note", each));
  return item;
}

function line(page: Document, tag: string, look: string, text: string): HTMLElement {
  const made = page.createElement(tag);
  if (look !== "") made.className = look;
  made.textContent = text;
  return made;
}
