/** Every card of the vectors with every verdict, for a look: `node packages/cards/gallery/make.js`. */

import { verifyCard } from "@service-nb/verify";
import { type CardEnvironment, CardView } from "../src/index.js";

interface Case {
  readonly name: string;
  readonly card: unknown;
}

const environment: CardEnvironment = {
  say: (text) => text,
  copy: (text) => navigator.clipboard.writeText(text),
  onVerify: () => undefined,
  onReplay: () => undefined,
};

/** Shows cards under a title; `?open` unfolds the details, `?name=…` picks by name. */
export function show(host: HTMLElement, cases: readonly Case[]): void {
  const query = new URLSearchParams(globalThis.location.search);
  const wanted = query.get("name");
  for (const { name, card } of cases.filter((each) => wanted === null || each.name.includes(wanted))) {
    const title = host.ownerDocument.createElement("h2");
    title.textContent = name;
    const box = host.ownerDocument.createElement("div");
    host.append(title, box);
    const view = new CardView(box, environment);
    view.show(card);
    if (name !== "pending") view.judge(verifyCard(card));
    if (query.has("open")) box.querySelector("details")?.setAttribute("open", "");
    if (query.has("chart")) box.querySelector<HTMLElement>(".service-chart-toggle")?.click();
  }
}
