// Shows cards under titles; `?open` unfolds the details, `?chart` draws, `?name=…` picks by name.
import { verifyCard } from "@service-nb/verify";
import { CardView } from "../src/index.ts";

const environment = {
  say: (text) => text,
  copy: (text) => globalThis.navigator.clipboard.writeText(text),
  onVerify: () => undefined,
  onReplay: () => undefined,
};

export function show(host, cases) {
  const query = new globalThis.URLSearchParams(globalThis.location.search);
  const wanted = query.getAll("name");
  for (const { name, card } of cases.filter(
    (each) => wanted.length === 0 || wanted.some((name) => each.name.includes(name)),
  )) {
    const title = host.ownerDocument.createElement("h2");
    title.textContent = name;
    const box = host.ownerDocument.createElement("div");
    host.append(title, box);
    const view = new CardView(box, environment);
    view.show(card);
    if (name !== "pending") view.judge(verifyCard(card));
    if (query.has("open")) box.querySelector("details")?.setAttribute("open", "");
    if (query.has("chart")) box.querySelector(".service-chart-toggle")?.click();
  }
}
