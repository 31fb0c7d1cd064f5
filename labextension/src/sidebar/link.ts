import type { NotebookPanel } from "@jupyterlab/notebook";
import { NotebookActions } from "@jupyterlab/notebook";
import { type ISignal, Signal } from "@lumino/signaling";
import { type Client, ClientError } from "@service-nb/link";
import type { LinkState, Situation } from "./state.js";

export type SessionContext = NotebookPanel["sessionContext"];
/** Opens a link; rejects with a `ClientError`. */
export type Connect = (context: SessionContext) => Promise<Client>;

type Executed = Parameters<Parameters<typeof NotebookActions.executed.connect>[0]>[1];

const OURS = /service_nb|%service_/;

/**
 * The link of the notebook in front to its kernel, opened when a reader looks at the sidebar. A kernel that has not loaded
 * service_nb is asked again only after a cell that may have done so: asking leaves a line in its log.
 */
export class KernelLink {
  readonly #changed = new Signal<this, void>(this);
  readonly #ran = new Signal<this, void>(this);
  readonly #connect: Connect;
  #panel: NotebookPanel | null = null;
  #state: LinkState = { is: "no_notebook" };
  #isWanted = false;
  #attempt = 0;

  constructor(connect: Connect) {
    this.#connect = connect;
    NotebookActions.executed.connect(this.#onExecuted, this);
  }

  get changed(): ISignal<this, void> {
    return this.#changed;
  }

  /** A cell with a line of ours has run in the notebook in front. */
  get ran(): ISignal<this, void> {
    return this.#ran;
  }

  get situation(): Situation {
    return {
      panel: this.#panel,
      link: this.#state,
      isBusy: this.#panel?.sessionContext.session?.kernel?.status === "busy",
    };
  }

  follow(panel: NotebookPanel | null): void {
    if (panel === this.#panel) return;
    const before = this.#panel?.sessionContext;
    before?.kernelChanged.disconnect(this.#onKernel, this);
    before?.statusChanged.disconnect(this.#onStatus, this);
    this.#panel = panel;
    panel?.sessionContext.kernelChanged.connect(this.#onKernel, this);
    panel?.sessionContext.statusChanged.connect(this.#onStatus, this);
    this.reconnect();
  }

  /** Nothing is asked of a kernel before somebody looks. */
  want(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.reconnect();
  }

  /** Opens the link, if nobody wanted it yet; resolves once it is known whether the kernel answers. */
  async settled(): Promise<void> {
    this.want();
    while (this.#state.is === "connecting") {
      await new Promise<void>((resolve) => {
        const told = (): void => {
          this.#changed.disconnect(told);
          resolve();
        };
        this.#changed.connect(told);
      });
    }
  }

  reconnect(): void {
    this.#attempt += 1;
    if (this.#state.is === "ready") this.#state.client.close();
    const panel = this.#panel;
    if (panel === null) this.#become({ is: "no_notebook" });
    else if (isWithout(panel.sessionContext)) this.#become({ is: "no_kernel" });
    else if (!this.#isWanted) this.#become({ is: "connecting" });
    else void this.#open(panel.sessionContext, this.#attempt);
  }

  dispose(): void {
    this.follow(null);
    NotebookActions.executed.disconnect(this.#onExecuted, this);
    Signal.clearData(this);
  }

  async #open(context: SessionContext, attempt: number): Promise<void> {
    this.#become({ is: "connecting" });
    const state = await opened(context, this.#connect);
    if (attempt === this.#attempt) this.#become(state);
    else if (state.is === "ready") state.client.close();
  }

  #become(state: LinkState): void {
    this.#state = state;
    this.#changed.emit();
  }

  #onKernel(): void {
    this.reconnect();
  }

  #onStatus(_context: SessionContext, status: string): void {
    if (["restarting", "autorestarting", "dead", "terminating"].includes(status)) this.reconnect();
    else this.#changed.emit();
  }

  #onExecuted(_sender: unknown, { notebook, cell }: Executed): void {
    if (notebook !== this.#panel?.content || !OURS.test(cell.model.sharedModel.getSource())) return;
    if (this.#state.is === "ready") this.#ran.emit();
    else this.reconnect();
  }
}

/** Whether there is no kernel to wait for. While a session starts, there will be one. */
function isWithout(context: SessionContext): boolean {
  return context.hasNoKernel && (context.isReady || context.kernelPreference.shouldStart === false);
}

async function opened(context: SessionContext, connect: Connect): Promise<LinkState> {
  let client: Client | null = null;
  try {
    await context.ready;
    if (context.hasNoKernel) return { is: "no_kernel" };
    client = await connect(context);
    return { is: "ready", client, hello: await client.ask("hello", {}) };
  } catch (error) {
    client?.close();
    if (!(error instanceof ClientError)) throw error;
    // A kernel that takes messages, and closes the link at once, has nobody who would answer.
    if (client !== null && error.code === "closed") return { is: "not_loaded" };
    return { is: "failed", code: error.code, message: error.message, hint: error.hint };
  }
}
