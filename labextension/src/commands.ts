import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { Dialog, ICommandPalette, Notification, showDialog } from "@jupyterlab/apputils";
import { ITranslator, type TranslationBundle } from "@jupyterlab/translation";
import { describedBy, lineIn, placeIn, sectionIn, TAKES } from "./arguments.js";
import { insertAndRun, insertBelow } from "./notebook.js";
import { serviceIcon } from "./sidebar/icon.js";
import type { Sidebar } from "./sidebar/sidebar.js";
import { IServiceSettings, ISidebar } from "./tokens.js";
import { wordsOf } from "./translation.js";

export const COMMANDS = {
  open: "service-nb:open-sidebar",
  verify: "service-nb:verify-all",
  replay: "service-nb:replay-all",
  report: "service-nb:export-audit-report",
  ask: "service-nb:insert-ask",
  compute: "service-nb:insert-compute",
  panel: "service-nb:open-panel",
  copy: "service-nb:copy-card",
  trust: "service-nb:trust-signer",
} as const;

interface Parts {
  readonly app: JupyterFrontEnd;
  readonly sidebar: Sidebar;
  readonly settings: IServiceSettings;
  readonly trans: TranslationBundle;
}

export const commandsPlugin: JupyterFrontEndPlugin<void> = {
  id: "@service-nb/lab:commands",
  description: "Commands of service_nb: verify, replay, report, insert lines, copy a card, trust its signer.",
  autoStart: true,
  requires: [ISidebar, IServiceSettings],
  optional: [ICommandPalette, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    sidebar: Sidebar,
    settings: IServiceSettings,
    palette: ICommandPalette | null,
    translator: ITranslator | null,
  ): void => {
    const parts = { app, sidebar, settings, trans: wordsOf(translator) };
    addEvidenceCommands(parts);
    addLineCommands(parts);
    addCardCommands(parts);
    const category = parts.trans.__("Service");
    for (const command of Object.values(COMMANDS)) palette?.addItem({ command, category });
    const notify = (): void => {
      for (const command of Object.values(COMMANDS)) app.commands.notifyCommandChanged(command);
    };
    sidebar.followed.connect(notify);
  },
};

function addEvidenceCommands({ app, sidebar, trans }: Parts): void {
  const hasNotebook = (): boolean => sidebar.tracked !== null;
  const evidence = (): Sidebar["evidence"] => {
    app.shell.activateById(sidebar.id);
    sidebar.showSection("evidence");
    return sidebar.evidence;
  };
  app.commands.addCommand(COMMANDS.open, {
    label: trans.__("Open the Service Sidebar"),
    caption: trans.__("Show sources, capabilities or evidence of the notebook in front"),
    icon: serviceIcon,
    describedBy: describedBy(TAKES.section),
    execute: (args) => {
      const section = sectionIn(args);
      app.shell.activateById(sidebar.id);
      sidebar.showSection(section);
    },
  });
  app.commands.addCommand(COMMANDS.verify, {
    label: trans.__("Verify All Cards"),
    caption: trans.__("Check every card of the notebook in the browser; no kernel is needed"),
    icon: serviceIcon,
    describedBy: describedBy(TAKES.nothing),
    isEnabled: hasNotebook,
    execute: () => evidence().verifyAll(),
  });
  app.commands.addCommand(COMMANDS.replay, {
    label: trans.__("Replay All Cards"),
    caption: trans.__("Run every answer again from its source, and compare; needs the kernel"),
    icon: serviceIcon,
    describedBy: describedBy(TAKES.nothing),
    isEnabled: hasNotebook,
    execute: () => evidence().replayAll(),
  });
  app.commands.addCommand(COMMANDS.report, {
    label: trans.__("Export Audit Report"),
    caption: trans.__("Download one page that says how every card of the notebook stands"),
    icon: serviceIcon,
    describedBy: describedBy(TAKES.nothing),
    isEnabled: hasNotebook,
    execute: async () => {
      const name = await sidebar.exportReport();
      if (name === null) Notification.info(trans.__("This notebook has no cards to report on."), { autoClose: 5000 });
      return name;
    },
  });
}

function addLineCommands({ app, sidebar, trans }: Parts): void {
  const hasNotebook = (): boolean => sidebar.tracked !== null;
  const insert = (line: string): void => {
    if (sidebar.tracked !== null) insertBelow(sidebar.tracked.panel, line);
  };
  app.commands.addCommand(COMMANDS.ask, {
    label: trans.__("Insert a Question"),
    caption: trans.__("Put %service_ask into a new cell"),
    icon: serviceIcon,
    describedBy: describedBy(TAKES.ask),
    isEnabled: hasNotebook,
    execute: (args) => {
      insert(`%service_ask ${lineIn(args, "question")}`);
    },
  });
  app.commands.addCommand(COMMANDS.compute, {
    label: trans.__("Insert a Computation"),
    caption: trans.__("Put %service_compute into a new cell"),
    icon: serviceIcon,
    describedBy: describedBy(TAKES.compute),
    isEnabled: hasNotebook,
    execute: (args) => {
      insert(`%service_compute ${lineIn(args, "call")}`);
    },
  });
  app.commands.addCommand(COMMANDS.panel, {
    label: trans.__("Open the Service Panel"),
    caption: trans.__("Run %service_panel in a new cell: forms that build a question or a computation"),
    icon: serviceIcon,
    describedBy: describedBy(TAKES.nothing),
    isEnabled: hasNotebook,
    execute: async () => {
      if (sidebar.tracked !== null) await insertAndRun(sidebar.tracked.panel, "%service_panel");
    },
  });
}

function addCardCommands({ app, sidebar, settings, trans }: Parts): void {
  app.commands.addCommand(COMMANDS.copy, {
    label: trans.__("Copy Card"),
    caption: trans.__("Copy the card as JSON, as a .servicecard.json file has it"),
    icon: serviceIcon,
    describedBy: describedBy(TAKES.place),
    isEnabled: () => sidebar.tracked !== null,
    execute: async (args) => {
      const { selectedCard } = await import("./selected.js");
      const judged = await selectedCard(app, sidebar.tracked, placeIn(args));
      if (judged === null)
        return void Notification.info(trans.__("There is no card in this cell."), { autoClose: 5000 });
      const { copyText } = await import("./environment.js");
      await copyText(JSON.stringify(judged.evidence.card), globalThis.document);
      Notification.success(trans.__("Card copied."), { autoClose: 2000 });
    },
  });
  app.commands.addCommand(COMMANDS.trust, {
    label: trans.__("Trust the Signer of This Card…"),
    caption: trans.__("Add the key that signed the card to those that you trust, after you have compared it"),
    icon: serviceIcon,
    describedBy: describedBy(TAKES.place),
    isEnabled: () => sidebar.tracked !== null,
    execute: async (args) => {
      const { selectedCard } = await import("./selected.js");
      const { trustSigner } = await import("./trust.js");
      const judged = await selectedCard(app, sidebar.tracked, placeIn(args));
      await trustSigner(judged, settings, trans, async (title, body) => {
        const { button } = await showDialog({
          title,
          body,
          buttons: [Dialog.cancelButton(), Dialog.warnButton({ label: trans.__("Trust this key") })],
          defaultButton: 0,
        });
        return button.accept;
      });
    },
  });
}
