import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { Notification } from "@jupyterlab/apputils";
import { IFileBrowserFactory } from "@jupyterlab/filebrowser";
import { ITranslator } from "@jupyterlab/translation";
import { describedBy, pathIn, TAKES } from "./arguments.js";
import { fileLine, isDataFile } from "./files.js";
import { insertAndRun } from "./notebook.js";
import { serviceIcon } from "./sidebar/icon.js";
import type { Sidebar } from "./sidebar/sidebar.js";
import { ISidebar } from "./tokens.js";
import { wordsOf } from "./translation.js";

const CONNECT_FILE = "service-nb:connect-file";
const DRIVES = ["", "RTC"]; // those that are the folder of the server, which the kernel reads too

export const connectPlugin: JupyterFrontEndPlugin<void> = {
  id: "@service-nb/lab:connect",
  description: "Connects a file from the context menu of the file browser.",
  autoStart: true,
  requires: [ISidebar],
  optional: [IFileBrowserFactory, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    sidebar: Sidebar,
    browsers: IFileBrowserFactory | null,
    translator: ITranslator | null,
  ): void => {
    const trans = wordsOf(translator);
    const { contents } = app.serviceManager;
    const selected = (): string[] =>
      [...(browsers?.tracker.currentWidget?.selectedItems() ?? [])]
        .filter(({ type }) => type !== "directory")
        .map(({ path }) => path)
        .filter((path) => isDataFile(path) && DRIVES.includes(contents.driveName(path)));
    app.commands.addCommand(CONNECT_FILE, {
      label: trans.__("Connect to service_nb"),
      caption: trans.__("Connect the file as a source in the notebook in front"),
      icon: serviceIcon,
      describedBy: describedBy(TAKES.path),
      isVisible: (args) => pathIn(args) !== null || selected().length > 0,
      execute: async (args) => {
        const panel = sidebar.tracked?.panel;
        if (panel === undefined) {
          return void Notification.info(trans.__("Open a notebook first: the file is connected in its kernel."), {
            autoClose: 5000,
          });
        }
        const { textOrNotice } = await import("./inserting.js");
        const given = pathIn(args);
        const from = contents.localPath(panel.context.path);
        const lines = (given === null ? selected() : [given])
          .map((path) => textOrNotice(fileLine(contents.localPath(path), from), trans))
          .filter((line) => line !== null);
        if (lines.length === 0) return;
        if (!(await sidebar.isLoaded())) lines.unshift("%load_ext service_nb");
        await insertAndRun(panel, lines.join("\n"));
      },
    });
  },
};
