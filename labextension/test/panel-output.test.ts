// @vitest-environment jsdom
import { nullTranslator } from "@jupyterlab/translation";
import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { Signal } from "@lumino/signaling";
import type { Widget } from "@lumino/widgets";
import { describe, expect, it } from "vitest";
import { completePlatform } from "./platform.js";

completePlatform();
const { showPanelsOf } = await import("../src/panel-output.js");
const { Widget: LuminoWidget } = await import("@lumino/widgets");

const PANEL = "application/vnd.service-nb.panel.v1+json";
const WIDGET = "application/vnd.jupyter.widget-view+json";
const ID = "0123456789abcdef";
const MODEL = {
  data: { [PANEL]: { version: 1 }, [WIDGET]: { model_id: ID, version_major: 2, version_minor: 1 } },
  metadata: {},
  trusted: true,
  setData: (): void => {
    throw new Error("a renderer has written into the notebook");
  },
} satisfies IRenderMime.IMimeModel;

interface Kernel {
  hasComm(id: string): boolean;
  requestCommInfo(content: { target_name: string }): Promise<unknown>;
}

/** A kernel that has these widgets, and whose front end knows of those that it `heard` of. */
function kernel(has: readonly string[], heard: readonly string[] = []): Kernel {
  return {
    hasComm: (id) => heard.includes(id),
    requestCommInfo: ({ target_name }) => {
      expect(target_name).toBe("jupyter.widget");
      const comms = Object.fromEntries(has.map((id) => [id, { target_name }]));
      return Promise.resolve({ content: { status: "ok", comms } });
    },
  };
}

/** What of a notebook shows outputs; its widgets are shown by what says so. */
class Notebook {
  readonly kernelChanged = new Signal<this, unknown>(this);
  readonly statusChanged = new Signal<this, string>(this);
  readonly sessionContext: { kernelChanged: unknown; statusChanged: unknown; session: { kernel: Kernel } | null };
  readonly factories: { factory: IRenderMime.IRendererFactory; rank: number | undefined }[] = [];
  readonly content: unknown;

  constructor(now: Kernel | null, showsWidgets = true) {
    const { kernelChanged, statusChanged } = this;
    this.sessionContext = { kernelChanged, statusChanged, session: now && { kernel: now } };
    this.content = {
      rendermime: {
        mimeTypes: showsWidgets ? [WIDGET] : [],
        addFactory: (factory: IRenderMime.IRendererFactory, rank?: number) => this.factories.push({ factory, rank }),
        createRenderer: (): Widget => {
          const made = new LuminoWidget();
          return Object.assign(made, {
            renderModel: (model: IRenderMime.IMimeModel) => {
              made.node.textContent = JSON.stringify(model.data[WIDGET]);
              return Promise.resolve();
            },
          });
        },
      },
    };
  }

  get renderer(): IRenderMime.IRenderer {
    showPanelsOf(this as unknown as Parameters<typeof showPanelsOf>[0], nullTranslator.load("service_nb"));
    const added = this.factories[0]?.factory;
    if (added === undefined) throw new Error("nothing was added");
    return added.createRenderer({} as IRenderMime.IRendererOptions);
  }

  take(other: Kernel): void {
    this.sessionContext.session = { kernel: other };
    this.kernelChanged.emit(undefined);
  }
}

async function shown(notebook: Notebook, model: IRenderMime.IMimeModel = MODEL): Promise<IRenderMime.IRenderer> {
  const made = notebook.renderer;
  await made.renderModel(model);
  return made;
}

function says({ node }: IRenderMime.IRenderer): "words" | "panel" {
  const words = node.querySelector<HTMLElement>(".service-panel-words");
  const isPanel = node.textContent.includes(ID);
  expect(words?.hidden).toBe(isPanel);
  return isPanel ? "panel" : "words";
}

describe("a panel among outputs", () => {
  it("is chosen before the widget, whose rank is -10, in a notebook that is not trusted too", () => {
    const notebook = new Notebook(null);
    expect(notebook.renderer).toBeDefined();
    expect(notebook.factories).toMatchObject([{ rank: -20, factory: { safe: true, mimeTypes: [PANEL] } }]);
  });

  it("is words where there is no kernel", async () => {
    expect(says(await shown(new Notebook(null)))).toBe("words");
  });

  it("is words where the kernel is another one than opened it", async () => {
    expect(says(await shown(new Notebook(kernel(["another"]))))).toBe("words");
  });

  it("is words where the kernel ends before it answers", async () => {
    const ending = { hasComm: () => false, requestCommInfo: () => Promise.reject(new Error("canceled")) };
    expect(says(await shown(new Notebook(ending)))).toBe("words");
  });

  it("is words where the notebook is not trusted, whatever the kernel has", async () => {
    expect(says(await shown(new Notebook(kernel([ID], [ID])), { ...MODEL, trusted: false }))).toBe("words");
  });

  it("is words where nobody shows widgets", async () => {
    expect(says(await shown(new Notebook(kernel([ID], [ID]), false)))).toBe("words");
  });

  it.each([[{}], [null], ["x"], [{ model_id: 7 }], [{ model_id: "toString" }]])(
    "is words where what names the widget is %j",
    async (view) => {
      const data = { [PANEL]: {}, [WIDGET]: view as never };
      expect(says(await shown(new Notebook(kernel([ID])), { ...MODEL, data }))).toBe("words");
    },
  );

  it("is shown at once where a cell has just opened it, also while the kernel is busy", async () => {
    const busy = { hasComm: (id: string) => id === ID, requestCommInfo: () => new Promise(() => undefined) };
    expect(says(await shown(new Notebook(busy)))).toBe("panel");
  });

  it("is shown where the kernel has it still, after the page was loaded again", async () => {
    expect(says(await shown(new Notebook(kernel([ID]))))).toBe("panel");
  });

  it("is shown once the kernel that has it is connected, and stays when that one is gone", async () => {
    const notebook = new Notebook(null);
    const made = await shown(notebook);
    expect(says(made)).toBe("words");
    notebook.take(kernel([ID]));
    await expect.poll(() => says(made)).toBe("panel");
    notebook.take(kernel([]));
    expect(says(made)).toBe("panel"); // which says itself that its kernel is gone
  });

  it("is made once, whoever asks for it meanwhile, and not after it was disposed of", async () => {
    const notebook = new Notebook(kernel([ID]));
    const made = await shown(notebook);
    await made.renderModel(MODEL);
    notebook.take(kernel([ID]));
    await expect.poll(() => made.node.children.length).toBe(2); // the words, and one panel
    made.dispose();
    notebook.take(kernel([ID]));
    expect(made.isDisposed).toBe(true);
  });

  it("of controls is words once their kernel has gone, and of a panel not, which says so itself", async () => {
    const controls = { ...MODEL, data: { ...MODEL.data, [PANEL]: { version: 1, kind: "controls" } } };
    for (const [model, left] of [
      [controls, "words"],
      [MODEL, "panel"],
    ] as const) {
      const notebook = new Notebook(kernel([ID]));
      const made = await shown(notebook, model);
      expect(says(made)).toBe("panel");
      notebook.statusChanged.emit("busy");
      expect(says(made)).toBe("panel");
      notebook.statusChanged.emit("restarting");
      expect(says(made)).toBe(left);
    }
  });
});
