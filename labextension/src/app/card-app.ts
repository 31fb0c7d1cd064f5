// The page that a host of the Model Context Protocol shows beside a result: the card of its outcome, verified here. The
// page asks nobody but its host, by messages, and loads nothing. https://modelcontextprotocol.io, MCP Apps 2026-01-26.
import { CardView } from "@service-nb/cards";
import { isObject, own } from "@service-nb/records";
import { verifyCard } from "@service-nb/verify";

const CARD_KEY = "service-nb/card";
const MOST_CHARS = 2_000_000; // of a card that is read
const THEMES = new Set(["light", "dark"]);
const PROTOCOL = "2026-01-26";
const FIRST = 1; // the id of the one request

/** Sends a message to the host; it says nothing that is not shown here, so whoever the host is may read it. */
function send(message: Readonly<Record<string, unknown>>): void {
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function member(value: unknown, ...path: readonly string[]): unknown {
  let met = value;
  for (const key of path) met = isObject(met) ? own(met, key) : undefined;
  return met;
}

/** A card on the page, in the host's theme. */
class CardPage {
  readonly #host: HTMLElement;
  #view: CardView | undefined;

  constructor(host: HTMLElement) {
    this.#host = host;
  }

  /** Shows the card of a result; where there is none, what the tool said. */
  show(result: unknown): void {
    const text = member(result, "_meta", CARD_KEY);
    if (typeof text !== "string" || text.length > MOST_CHARS) {
      this.#say(member(result, "structuredContent", "text"));
      return;
    }
    let card: unknown;
    try {
      card = JSON.parse(text);
    } catch {
      this.#say("The card of this result is malformed.");
      return;
    }
    this.#clear();
    const judge = (): void => this.#view?.judge(verifyCard(card, {}));
    this.#view = new CardView(this.#host, {
      say: (words) => words,
      copy: (words) => navigator.clipboard.writeText(words),
      onVerify: judge,
    });
    this.#view.show(card);
    judge();
  }

  dress(context: unknown): void {
    const theme = member(context, "theme");
    if (typeof theme === "string" && THEMES.has(theme)) document.documentElement.dataset["theme"] = theme;
  }

  #clear(): void {
    this.#view?.dispose();
    this.#view = undefined;
    this.#host.replaceChildren();
  }

  #say(words: unknown): void {
    this.#clear();
    const line = document.createElement("p");
    line.className = "service-app-words";
    line.textContent = typeof words === "string" ? words : "This result has no card.";
    this.#host.append(line);
  }
}

/** Speaks with the host: it is told of the page, and tells of results and of its theme. */
function start(host: HTMLElement): void {
  const page = new CardPage(host);
  window.addEventListener("message", (event) => {
    if (event.source !== window.parent || !isObject(event.data)) return;
    const message: unknown = event.data;
    const method = member(message, "method");
    const params = member(message, "params");
    if (method === undefined && member(message, "id") === FIRST) {
      page.dress(member(message, "result", "hostContext"));
      send({ method: "ui/notifications/initialized", params: {} });
    } else if (method === "ui/notifications/tool-result") page.show(params);
    else if (method === "ui/notifications/host-context-changed") page.dress(params);
    else if (method === "ping" || method === "ui/resource-teardown") send({ id: member(message, "id"), result: {} });
  });
  new ResizeObserver(() => {
    const { width, height } = document.documentElement.getBoundingClientRect();
    const params = { width: Math.ceil(width), height: Math.ceil(height) };
    send({ method: "ui/notifications/size-changed", params });
  }).observe(document.documentElement);
  const appInfo = { name: "service-nb-card", version: "1.0.0" };
  const params = { appCapabilities: { availableDisplayModes: ["inline"] }, appInfo, protocolVersion: PROTOCOL };
  send({ id: FIRST, method: "ui/initialize", params });
}

const host = document.getElementById("card");
if (host !== null) start(host);
