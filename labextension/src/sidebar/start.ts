import type { ILayoutRestorer, JupyterFrontEnd } from "@jupyterlab/application";
import type { INotebookTracker } from "@jupyterlab/notebook";
import type { ITranslator } from "@jupyterlab/translation";
import { setCells, setReplay, setResults } from "../environment.js";
import { liveCellAt } from "../notebook.js";
import { connect } from "../kernel.js";
import { KernelResults } from "../whole.js";
import type { IServiceSettings } from "../tokens.js";
import { wordsOf } from "../translation.js";
import { onTerms, verdictOf, verdictOfSeal } from "../verdicts.js";
import { KernelLink } from "./link.js";
import { Sidebar } from "./sidebar.js";
import { whyNot } from "./state.js";

const RANK = 610; // below what JupyterLab has there itself

export interface Surroundings {
  readonly app: JupyterFrontEnd;
  readonly settings: IServiceSettings;
  readonly notebooks: INotebookTracker | null;
  readonly restorer: ILayoutRestorer | null;
  readonly translator: ITranslator | null;
}

/** Makes the sidebar, puts it beside the notebook, and has it follow the notebook in front. */
export function startSidebar({ app, settings, notebooks, restorer, translator }: Surroundings): Sidebar {
  const link = new KernelLink(connect);
  const judges = { card: verdictOf, seal: verdictOfSeal };
  const sidebar = new Sidebar({
    judges,
    link,
    trans: wordsOf(translator),
    settings,
    contents: app.serviceManager.contents,
  });
  const faults = (): void => {
    sidebar.showFaults(settings.faults, () => void app.commands.execute("settingeditor:open", { query: "service_nb" }));
  };
  settings.changed.connect(faults);
  faults();
  onTerms(() => {
    sidebar.evidence.reconsider();
  });
  const replay = (id: string): void => {
    app.shell.activateById(sidebar.id); // where it is said what comes of it
    sidebar.showSection("evidence");
    void link.settled().then(() => sidebar.evidence.replay(id));
  };
  const results = new KernelResults(async () => {
    await link.settled();
    const { situation } = link;
    if (situation.link.is === "ready") return situation.link.client;
    const trans = wordsOf(translator);
    const why = whyNot(situation, trans) ?? "";
    throw new Error(
      situation.link.is === "not_loaded" ? `${why} ${trans.__("Run %load_ext service_nb in a cell.")}` : why,
    );
  });
  // A card has a Replay as soon as there is a kernel; whether that has loaded service_nb is asked when it is wanted.
  link.changed.connect(() => {
    const { is } = link.situation.link;
    const isThere = is !== "no_notebook" && is !== "no_kernel";
    setReplay(isThere ? replay : undefined);
    setResults(isThere ? results : undefined);
  });
  restorer?.add(sidebar, sidebar.id);
  app.shell.add(sidebar, "left", { rank: RANK, type: "service_nb" });
  if (notebooks !== null) {
    followFront(sidebar, notebooks);
    setCells((node) => liveCellAt(notebooks, node));
  }
  return sidebar;
}

function followFront(sidebar: Sidebar, notebooks: INotebookTracker): void {
  const follow = (): void => {
    const panel = notebooks.currentWidget;
    if (panel === null) {
      sidebar.follow(null);
      return;
    }
    void panel.context.ready.then(() => {
      if (notebooks.currentWidget === panel && !panel.isDisposed) sidebar.follow(panel);
    });
  };
  notebooks.currentChanged.connect(follow);
  follow();
}
