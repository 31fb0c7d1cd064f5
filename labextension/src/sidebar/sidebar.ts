import type { NotebookPanel } from "@jupyterlab/notebook";
import type { Contents } from "@jupyterlab/services";
import type { TranslationBundle } from "@jupyterlab/translation";
import { type ISignal, Signal } from "@lumino/signaling";
import { Widget } from "@lumino/widgets";
import type { IServiceSettings } from "../tokens.js";
import { textOrNotice } from "../inserting.js";
import type { Evidence } from "../evidence.js";
import { goTo, insertAndRun, insertBelow, writeAtCursor } from "../notebook.js";
import { type Change, type Judges, NotebookEvidence } from "../tracking.js";
import { CapabilitiesView } from "./capabilities-view.js";
import { button, make } from "./dom.js";
import { EvidenceView } from "./evidence-view.js";
import { serviceIcon } from "./icon.js";
import type { KernelLink } from "./link.js";
import type { SectionName } from "./sections.js";
import { SourcesView } from "./sources-view.js";
import { Tabs } from "./tabs.js";
import { tallyInWords, tallyOf } from "./words.js";

export interface SidebarOptions {
  readonly judges: Judges;
  readonly link: KernelLink;
  readonly trans: TranslationBundle;
  readonly settings: IServiceSettings;
  readonly contents: Contents.IManager;
}

/**
 * Sources, capabilities and evidence of the notebook in front.
 *
 * Plain DOM in a Lumino widget, as the cards are: hundreds of rows change one by one, which needs no framework.
 */
export class Sidebar extends Widget {
  readonly evidence: EvidenceView;
  readonly #options: SidebarOptions;
  readonly #sources: SourcesView;
  readonly #capabilities: CapabilitiesView;
  readonly #tabs: Tabs;
  readonly #faults = make("div", { class: "service-side-faults", role: "status", hidden: true });
  readonly #followed = new Signal<this, NotebookEvidence | null>(this);
  #tracked: NotebookEvidence | null = null;

  constructor(options: SidebarOptions) {
    super();
    const { trans, link } = options;
    this.#options = options;
    this.id = "service-nb-sidebar";
    this.addClass("service-sidebar");
    this.addClass("service-scope");
    this.title.icon = serviceIcon;
    this.title.caption = trans.__("service_nb: sources, capabilities, evidence");
    this.node.setAttribute("role", "region");
    this.node.setAttribute("aria-label", trans.__("service_nb"));
    const onEvidence = {
      report: (): void => void this.exportReport(),
      load: this.#actions().load,
      goTo: (evidence: Evidence): void => {
        if (this.#tracked !== null) void goTo(this.#tracked.panel, evidence);
      },
    };
    this.evidence = new EvidenceView(onEvidence, trans);
    this.#sources = new SourcesView(this.#actions(), trans);
    this.#capabilities = new CapabilitiesView(this.#actions(), () => options.settings.current.searchHits, trans);
    this.#tabs = new Tabs(
      trans.__("service_nb"),
      [
        { name: "sources", label: trans.__("Sources"), node: this.#sources.node },
        { name: "capabilities", label: trans.__("Capabilities"), node: this.#capabilities.node },
        { name: "evidence", label: trans.__("Evidence"), node: this.evidence.node },
      ],
      () => {
        this.#reveal();
      },
    );
    this.node.append(this.#faults, this.#tabs.node);
    this.#tabs.show("evidence");
    link.changed.connect(this.#situate, this);
    link.ran.connect(this.#onRan, this);
    this.#situate();
  }

  /** The notebook in front has other cards, or is another one. */
  get followed(): ISignal<this, NotebookEvidence | null> {
    return this.#followed;
  }

  get tracked(): NotebookEvidence | null {
    return this.#tracked;
  }

  follow(panel: NotebookPanel | null): void {
    if (this.#tracked?.panel === panel) return;
    this.#tracked?.dispose();
    this.#tracked = panel === null ? null : new NotebookEvidence(panel, this.#options.judges);
    this.#tracked?.changed.connect(this.#onCards, this);
    this.evidence.track(this.#tracked);
    this.#tracked?.watch(this.isVisible);
    this.#options.link.follow(panel);
    this.#onCards();
    this.#followed.emit(this.#tracked);
  }

  /** Whether a line of ours can run in the kernel of the notebook in front, or it would first have to be loaded. */
  async isLoaded(): Promise<boolean> {
    const { link } = this.#options;
    await link.settled();
    return link.situation.link.is !== "not_loaded";
  }

  showSection(name: SectionName): void {
    this.#tabs.show(name, "panel");
    if (name === "capabilities") this.#capabilities.focus();
  }

  /** Hands over the audit report; returns its name, or null where there are no cards. */
  async exportReport(): Promise<string | null> {
    const tracked = this.#tracked;
    await this.evidence.verifyAll(); // the list says what the page will say
    if (tracked === null || tracked.cards.length === 0) return null;
    const { settings, contents } = this.#options;
    const { exportReport } = await import("../report/export.js");
    return await exportReport(tracked.panel, contents, settings.current, this.evidence.replayed());
  }

  /** Says what is wrong with the settings, with a way to them. */
  showFaults(faults: readonly string[], openSettings: () => void): void {
    this.#faults.hidden = faults.length === 0;
    if (faults.length === 0) {
      this.#faults.replaceChildren();
      return;
    }
    const { trans } = this.#options;
    const lines = faults.map((fault) => make("p", {}, fault));
    const open = button(trans.__("Open the settings"), openSettings);
    this.#faults.replaceChildren(
      make("p", { class: "service-side-notice-title" }, trans.__("⚠ Settings")),
      ...lines,
      open,
    );
  }

  override dispose(): void {
    if (this.isDisposed) return;
    this.follow(null);
    this.#options.link.changed.disconnect(this.#situate, this);
    this.#options.link.ran.disconnect(this.#onRan, this);
    Signal.clearData(this);
    super.dispose();
  }

  protected override onAfterShow(): void {
    this.#options.link.want();
    this.#tracked?.watch(true);
    this.#reveal();
  }

  protected override onAfterHide(): void {
    this.#tracked?.watch(false);
    this.#reveal();
  }

  protected override onActivateRequest(): void {
    // The message comes late: whoever opened a section has put the focus into it already.
    if (!this.node.contains(this.node.ownerDocument.activeElement)) this.#tabs.show(this.#tabs.shown, "tab");
  }

  #situate(): void {
    const { situation } = this.#options.link;
    this.evidence.situate(situation);
    this.#capabilities.situate(situation);
    this.#sources.situate(situation, this.#tracked?.cards.map(({ evidence }) => evidence) ?? []);
  }

  /** A line of ours ran: there may be another source now. */
  #onRan(): void {
    this.#sources.refresh();
  }

  #reveal(): void {
    this.evidence.reveal(this.isVisible && this.#tabs.shown === "evidence");
  }

  #onCards(_sender?: unknown, { isOtherCards }: Pick<Change, "isOtherCards"> = { isOtherCards: true }): void {
    const { trans, link } = this.#options;
    const cards = this.#tracked?.cards ?? [];
    const tally = tallyOf(cards, trans);
    const figure = tally.altered > 0 ? `✗ ${String(tally.altered)}` : cards.length > 0 ? String(cards.length) : "";
    this.#tabs.count("evidence", figure, tallyInWords(tally, trans));
    if (isOtherCards && link.situation.link.is !== "ready") {
      this.#sources.situate(
        link.situation,
        cards.map(({ evidence }) => evidence),
      );
    }
  }

  #actions(): ConstructorParameters<typeof SourcesView>[0] & ConstructorParameters<typeof CapabilitiesView>[0] {
    const inPanel = (act: (panel: NotebookPanel) => void): void => {
      const { panel } = this.#options.link.situation;
      if (panel !== null) act(panel);
    };
    // Names of sources and columns come from files of others, and a line of the kernel is held to the same.
    const isOurs = (line: string): boolean => textOrNotice(line, this.#options.trans) !== null;
    return {
      load: () => {
        inPanel((panel) => void insertAndRun(panel, "%load_ext service_nb"));
      },
      retry: () => {
        this.#options.link.reconnect();
      },
      insert: (line) => {
        inPanel((panel) => {
          if (isOurs(line)) insertBelow(panel, line);
        });
      },
      insertAndRun: (line) => {
        inPanel((panel) => {
          if (isOurs(line)) void insertAndRun(panel, line);
        });
      },
      write: (text) => {
        inPanel((panel) => {
          writeAtCursor(panel, text);
        });
      },
      typeset: (node) => {
        const { panel } = this.#options.link.situation;
        const typesetter = panel?.content.rendermime.latexTypesetter ?? null;
        void typesetter?.typeset(node);
        return typesetter !== null;
      },
    };
  }
}
