// @vitest-environment jsdom
import { Signal } from "@lumino/signaling";
import { expect, it } from "vitest";
import { completePlatform } from "./platform.js";

completePlatform();
const { fillSlotsOf } = await import("../src/slots.js");

type Output = Readonly<Record<string, unknown>>;

const OLD = { "text/plain": "sum" };
const NEW = { "text/plain": "max" };

function output(slot: unknown, data: unknown = OLD): Output {
  return { output_type: "display_data", data, metadata: { service_nb: { slot } } };
}

/** A notebook whose cells have outputs, and what its kernel says to it. */
class Notebook {
  readonly iopubMessage = new Signal<this, unknown>(this);
  readonly sessionContext = { iopubMessage: this.iopubMessage };
  readonly written: Output[] = [];
  readonly content: unknown;

  constructor(...cells: Output[][]) {
    const outputs = (shown: Output[]): unknown => ({
      length: shown.length,
      get: (at: number) => ({ toJSON: () => shown[at] }),
      set: (at: number, given: Output) => {
        shown[at] = given;
        this.written.push(given);
      },
    });
    this.content = { model: { cells: [{ type: "markdown" }, ...cells.map((shown) => ({ outputs: outputs(shown) }))] } };
    fillSlotsOf(this as unknown as Parameters<typeof fillSlotsOf>[0]);
  }

  hear(display_id: string | undefined, msg_type = "update_display_data"): void {
    const metadata = { service_nb: { slot: display_id } };
    const content = { data: NEW, metadata, transient: display_id === undefined ? {} : { display_id } };
    this.iopubMessage.emit({ header: { msg_type }, content });
  }
}

it("fills the output of that id, in whichever cell it is, and no other", () => {
  const shown = [output("a"), output("b")];
  const notebook = new Notebook([output("c")], shown);
  notebook.hear("b");
  expect(notebook.written).toEqual([output("b", NEW)]);
  expect(shown).toEqual([output("a"), output("b", NEW)]);
});

it("writes nothing where JupyterLab has filled the output already", () => {
  const notebook = new Notebook([output("a", NEW)]);
  notebook.hear("a");
  expect(notebook.written).toEqual([]);
});

it.each([undefined, 7, null, { toString: "a" }, "", "b"])("leaves an output alone whose id is %j", (slot) => {
  const notebook = new Notebook([output(slot), { output_type: "stream", name: "stdout", text: "a" }, output("x")]);
  notebook.hear("a");
  notebook.hear(undefined);
  notebook.hear("x", "display_data");
  expect(notebook.written).toEqual([]);
});
