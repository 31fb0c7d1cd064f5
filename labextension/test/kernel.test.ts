import type { ISessionContext } from "@jupyterlab/apputils";
import { Signal } from "@lumino/signaling";
import { describe, expect, it } from "vitest";
import { connect } from "../src/kernel.js";

type Session = Pick<ISessionContext, "session">;

const HELLO = { version: 1, made_by: "service_nb 0.0.0", contract_hash: null, capabilities: 3, project: "p" };

/** The kernel's side of a comm: what was sent, in its order, and what the kernel does with it. */
class Comm {
  readonly events: string[] = [];
  readonly commsOverSubshells: string | undefined;
  readonly subshellStarted: Promise<void>;
  startSubshell: () => void = () => undefined;
  failSubshell: () => void = () => undefined;
  isDisposed = false;
  disposals = 0;
  onMsg: (message: { content: { data: unknown } }) => void = () => undefined;
  onClose: () => void = () => undefined;

  constructor(subshells: string | undefined) {
    this.commsOverSubshells = subshells;
    this.subshellStarted = new Promise((resolve, reject) => {
      this.startSubshell = resolve;
      this.failSubshell = (): void => {
        reject(new Error("no subshell"));
      };
    });
  }

  open(): void {
    this.events.push("open");
  }

  send({ method }: { method: string }): void {
    this.events.push(method);
  }

  /** As JupyterLab does: its owner is told, and then it is disposed of, which counts each time. */
  close(): void {
    this.events.push("close");
    this.onClose();
    this.dispose();
  }

  dispose(): void {
    this.isDisposed = true;
    this.disposals += 1;
  }

  /** The kernel closes it. */
  closedByKernel(): void {
    this.onClose();
    this.dispose();
  }

  answer(id: number, result: unknown): void {
    this.onMsg({ content: { data: { service_nb: 1, id, result } } });
  }
}

class Kernel {
  readonly statusChanged = new Signal<this, string>(this);
  readonly disposed = new Signal<this, undefined>(this);
  readonly comms: Comm[] = [];
  readonly info: Promise<unknown>;
  readonly supportsSubshells: boolean;
  status = "idle";
  handleComms = true;
  isDisposed = false;
  readonly #subshells: string | undefined;

  constructor({ language = "python", subshells }: { language?: string; subshells?: string } = {}) {
    this.info = Promise.resolve({ language_info: { name: language } });
    this.supportsSubshells = subshells !== undefined;
    this.#subshells = subshells;
  }

  createComm(target: string): Comm {
    expect(target).toBe("service_nb");
    const comm = new Comm(this.#subshells);
    this.comms.push(comm);
    return comm;
  }

  become(status: string): void {
    this.status = status;
    this.statusChanged.emit(status);
  }

  get session(): Session {
    return { session: { kernel: this } } as unknown as Session;
  }
}

async function comm(kernel: Kernel): Promise<Comm> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  const [made] = kernel.comms;
  if (made === undefined) throw new Error("no comm was made");
  return made;
}

describe("a link to a kernel", () => {
  it("opens its comm and says hello", async () => {
    const kernel = new Kernel();
    const client = await connect(kernel.session);
    const made = await comm(kernel);
    expect(made.events).toEqual(["open", "hello"]);
    made.answer(0, HELLO);
    const asked = client.ask("sources", {});
    made.answer(1, { sources: [] });
    expect(await asked).toEqual({ sources: [] });
  });

  it("waits for the subshell that its comm will have, so that nothing overtakes the opening", async () => {
    const kernel = new Kernel({ subshells: "perCommTarget" });
    await connect(kernel.session);
    const made = await comm(kernel);
    expect(made.events).toEqual([]);
    made.startSubshell();
    await made.subshellStarted;
    await comm(kernel);
    expect(made.events).toEqual(["open", "hello"]);
  });

  it("goes without a subshell where none can be started", async () => {
    const kernel = new Kernel({ subshells: "perCommTarget" });
    await connect(kernel.session);
    const made = await comm(kernel);
    made.failSubshell();
    expect((await comm(kernel)).events).toEqual(["open", "hello"]);
  });

  it("goes without a subshell where they are turned off", async () => {
    const kernel = new Kernel({ subshells: "disabled" });
    await connect(kernel.session);
    expect((await comm(kernel)).events).toEqual(["open", "hello"]);
  });

  it("waits until a kernel that starts is up", async () => {
    const kernel = new Kernel();
    kernel.status = "starting";
    const client = connect(kernel.session);
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(kernel.comms).toEqual([]);
    kernel.become("idle");
    await client;
    expect((await comm(kernel)).events).toEqual(["open", "hello"]);
  });

  it.each(["restarting", "autorestarting", "dead", "terminating"])("ends with a kernel that is %s", async (status) => {
    const kernel = new Kernel();
    const client = await connect(kernel.session);
    const made = await comm(kernel);
    made.answer(0, HELLO);
    const asked = client.ask("sources", {});
    kernel.become(status);
    await expect(asked).rejects.toMatchObject({ code: "closed" });
    expect(made.disposals).toBe(0); // JupyterLab's to do
    kernel.become("idle");
    expect(kernel.comms).toHaveLength(1);
  });

  it("ends where the kernel has not loaded service_nb and closes the comm", async () => {
    const kernel = new Kernel();
    const client = await connect(kernel.session);
    const asked = client.ask("hello", {});
    const made = await comm(kernel);
    made.closedByKernel();
    await expect(asked).rejects.toMatchObject({ code: "closed" });
    client.close();
    expect(made.disposals).toBe(1);
  });

  it("is closed in the kernel too when the front end closes it", async () => {
    const kernel = new Kernel();
    const client = await connect(kernel.session);
    const made = await comm(kernel);
    client.close();
    client.close();
    expect(made.events).toEqual(["open", "hello", "close"]);
    expect(made.disposals).toBe(1);
  });

  it("that is closed before its subshell has started is never opened", async () => {
    const kernel = new Kernel({ subshells: "perCommTarget" });
    const client = await connect(kernel.session);
    const made = await comm(kernel);
    client.close();
    made.startSubshell();
    expect((await comm(kernel)).events).toEqual([]);
    expect(made.disposals).toBe(1);
  });

  it.each([
    ["no kernel", { session: null }],
    ["a kernel of another language", new Kernel({ language: "R" }).session],
    ["a connection without comms", Object.assign(new Kernel(), { handleComms: false }).session],
    ["a kernel that is dead", Object.assign(new Kernel(), { status: "dead" }).session],
    ["a kernel that is gone", Object.assign(new Kernel(), { isDisposed: true }).session],
  ])("is refused by %s", async (_, session) => {
    await expect(connect(session)).rejects.toMatchObject({ name: "ClientError", code: "closed" });
  });
});
