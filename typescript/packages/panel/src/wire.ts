import type { Channel } from "@service-nb/link";

/** The version of the messages between a panel and its view; those of the link travel within them. */
export const WIRE_VERSION = 1;

/** What a front end gives to a widget's view: AFM's model, as far as it is used here. */
export interface Model {
  send(content: unknown): void;
  on(event: string, take: (content?: unknown) => void): void;
  off(event: string, take: (content?: unknown) => void): void;
}

/** What became of a run. The card itself is an output of the cell. */
export interface Ran {
  readonly status: "answered" | "unclear" | "rejected" | "error";
  readonly message: string;
  /** Whether a page may have opened the notebook again, which then cannot fill the output below the panel. */
  readonly reopened: boolean;
}

const GONE = ["comm:close", "comm_live_update", "destroy"];
const STATUSES = ["answered", "unclear", "rejected", "error"] as const;

/**
 * One view's messages. Several views may share a model, and each hears what is sent to any: so each has a name, which
 * the kernel repeats.
 */
export class Wire implements Channel {
  readonly #model: Model;
  readonly #view = Math.random().toString(36).slice(2);
  readonly #taking = (content?: unknown): void => {
    this.#take(content);
  };
  readonly #ending = (): void => {
    this.#end();
  };
  readonly #runs = new Map<number, (ran: Ran | null) => void>();
  #onMessage: (message: unknown) => void = () => undefined;
  #onClose: (() => void)[] = [];
  #last = 0;
  #isOpen = true;

  constructor(model: Model) {
    this.#model = model;
    model.on("msg:custom", this.#taking);
    for (const event of GONE) model.on(event, this.#ending);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  send(message: unknown): void {
    this.#send({ link: message });
  }

  onMessage(take: (message: unknown) => void): void {
    this.#onMessage = take;
  }

  onClose(closed: () => void): void {
    this.#onClose.push(closed);
  }

  close(): void {
    this.#isOpen = false;
    this.#model.off("msg:custom", this.#taking);
    for (const event of GONE) this.#model.off(event, this.#ending);
  }

  /** Have the kernel run a line, and put its card below the panel; null when the kernel is gone. */
  run(line: string): Promise<Ran | null> {
    const id = ++this.#last;
    return new Promise((resolve) => {
      this.#runs.set(id, resolve);
      try {
        this.#send({ run: { id, line } });
      } catch {
        this.#runs.delete(id);
        resolve(null);
      }
    });
  }

  #send(body: Readonly<Record<string, unknown>>): void {
    if (!this.#isOpen) throw new Error("the kernel is gone");
    try {
      this.#model.send({ service_nb_panel: WIRE_VERSION, view: this.#view, ...body });
    } catch (error) {
      this.#end(); // a model whose comm is closed throws: everyone who waits is told
      throw error;
    }
  }

  #take(content: unknown): void {
    if (!isTable(content) || content["service_nb_panel"] !== WIRE_VERSION || content["view"] !== this.#view) return;
    if ("link" in content) this.#onMessage(content["link"]);
    if (isTable(content["ran"])) this.#settle(content["ran"]);
  }

  #settle({ id, status, message, reopened }: Readonly<Record<string, unknown>>): void {
    const known = STATUSES.find((each) => each === status);
    const resolve = typeof id === "number" ? this.#runs.get(id) : undefined;
    if (resolve === undefined || known === undefined || typeof message !== "string") return;
    this.#runs.delete(id as number);
    resolve({ status: known, message, reopened: reopened === true });
  }

  #end(): void {
    if (!this.#isOpen) return;
    this.close();
    for (const resolve of this.#runs.values()) resolve(null);
    this.#runs.clear();
    for (const closed of this.#onClose) closed();
  }
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
