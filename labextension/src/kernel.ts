import type { ISessionContext } from "@jupyterlab/apputils";
import type { Kernel } from "@jupyterlab/services";
import { type Channel, type Client, ClientError, Link, LINK_TARGET } from "@service-nb/link";

type Message = Parameters<Kernel.IComm["send"]>[0];

/** What JupyterLab 4.4 and later know of a comm: on kernels with subshells it is answered while a cell runs. */
interface OnSubshell {
  readonly subshellStarted: Promise<void>;
}

/**
 * Opens the link to the kernel of a session, once the kernel is up. The link says hello by itself; ask it for `hello` to
 * know that somebody answers.
 *
 * Rejects with a `ClientError` of the code `closed` where there is no kernel, or one that cannot have service_nb. Where
 * the kernel has not loaded the extension, it closes the comm at once, and whatever was asked rejects as `closed` too.
 * When the kernel restarts or ends, the link is closed; for the next kernel open another.
 */
export async function connect(context: Pick<ISessionContext, "session">): Promise<Client> {
  const kernel = context.session?.kernel;
  if (kernel === null || kernel === undefined) throw new ClientError("closed", "The notebook has no kernel.");
  await isUp(kernel);
  const { language_info: language } = await kernel.info;
  if (language.name !== "python") {
    throw new ClientError("closed", `service_nb is loaded in Python; this kernel runs ${language.name}.`);
  }
  if (!kernel.handleComms) throw new ClientError("closed", "This connection to the kernel carries no comms.");
  return new Link(new CommChannel(kernel));
}

/** A comm of a kernel as a channel: opened by itself, closed with the kernel's life. */
export class CommChannel implements Channel {
  readonly #kernel: Kernel.IKernelConnection;
  readonly #comm: Kernel.IComm;
  readonly #waiting: unknown[] = [];
  #take: (message: unknown) => void = nobody;
  #closed: () => void = nobody;
  #state: "starting" | "open" | "ended" = "starting";

  constructor(kernel: Kernel.IKernelConnection) {
    this.#kernel = kernel;
    this.#comm = kernel.createComm(LINK_TARGET);
    this.#comm.onMsg = (message): void => {
      this.#take(message.content.data);
    };
    this.#comm.onClose = (): void => {
      this.#end();
    };
    kernel.statusChanged.connect(this.#onStatus, this);
    kernel.disposed.connect(this.#end, this);
    void subshellOf(kernel, this.#comm).then(() => {
      this.#open();
    });
  }

  send(message: unknown): void {
    if (this.#state === "ended") throw new Error("the comm is closed");
    if (this.#state === "starting") this.#waiting.push(message);
    else this.#comm.send(message as Message);
  }

  onMessage(take: (message: unknown) => void): void {
    this.#take = take;
  }

  onClose(closed: () => void): void {
    this.#closed = closed;
  }

  close(): void {
    const before = this.#state;
    this.#end();
    if (this.#comm.isDisposed || this.#kernel.isDisposed) return;
    if (before === "open") this.#comm.close();
    else if (before === "starting") this.#comm.dispose();
  }

  #open(): void {
    if (this.#state !== "starting") return;
    this.#comm.open();
    this.#state = "open";
    for (const message of this.#waiting.splice(0)) this.send(message);
  }

  #onStatus(_kernel: unknown, status: Kernel.Status): void {
    // A kernel that restarts knows nothing of the comm, and tells nobody.
    if (isEnding(status)) this.#end();
  }

  /**
   * Whoever closes a comm disposes of it, JupyterLab where the kernel did or restarts. To do so twice would take the
   * subshell from other comms of the same target: each disposal counts as one comm less on it.
   */
  #end(): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#kernel.statusChanged.disconnect(this.#onStatus, this);
    this.#kernel.disposed.disconnect(this.#end, this);
    this.#closed();
  }
}

/** Resolves when a kernel has started; rejects if it never will. */
function isUp(kernel: Kernel.IKernelConnection): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const isGone = kernel.isDisposed || kernel.status === "dead" || kernel.status === "terminating";
      if (!isGone && kernel.status !== "idle" && kernel.status !== "busy") return;
      kernel.statusChanged.disconnect(look);
      kernel.disposed.disconnect(look);
      if (isGone) reject(new ClientError("closed", "The kernel has ended."));
      else resolve();
    };
    kernel.statusChanged.connect(look);
    kernel.disposed.connect(look);
    look();
  });
}

/**
 * Resolves when the comm has its subshell, or when it will have none. A comm that was opened before would be opened in
 * the kernel's main shell, behind the cell that runs, and its messages overtake that.
 */
async function subshellOf(kernel: Kernel.IKernelConnection, comm: Kernel.IComm): Promise<void> {
  if (!kernel.supportsSubshells || !isOnSubshell(comm) || isDisabled(comm.commsOverSubshells)) return;
  await comm.subshellStarted.catch(nobody); // then everything goes to the main shell, in its order
}

function isDisabled(subshells: string | undefined): boolean {
  return subshells === undefined || subshells === "disabled";
}

function isOnSubshell(comm: object): comm is OnSubshell {
  return "subshellStarted" in comm;
}

function isEnding(status: Kernel.Status): boolean {
  return ["restarting", "autorestarting", "dead", "terminating"].includes(status);
}

function nobody(): void {
  // Nobody listens yet, or there is nothing to be done.
}
