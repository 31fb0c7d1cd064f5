import type { NotebookPanel } from "@jupyterlab/notebook";
import type { Contents } from "@jupyterlab/services";
import { sha256Hex } from "@service-nb/verify";
import { ownerOf } from "../environment.js";
import type { ReaderTerms } from "../reading.js";
import { verdictsOfDocument } from "../verdicts.js";
import { buildReport, reportName } from "./build.js";
import type { ReportJson } from "./json.js";
import { reportPage } from "./page.js";

/** Verifies a notebook and hands its report to the reader; returns the name of the page's file. */
export async function exportReport(
  panel: NotebookPanel,
  contents: Contents.IManager,
  terms: ReaderTerms,
  replayed: readonly string[],
): Promise<string> {
  const { path } = panel.context;
  const saved = panel.context.model.dirty ? null : await textOnDisk(contents, path);
  const text = saved ?? JSON.stringify(panel.context.model.toJSON());
  const conditions: ReportJson["conditions"] = {
    ...(saved === null ? { state: "The notebook as it is open, with changes that are not saved." } : {}),
    ...(replayed.length > 0 ? { replayed } : {}),
  };
  const report = buildReport({
    name: path.split("/").at(-1) ?? "",
    text,
    sha256: saved === null ? null : sha256Hex(saved),
    verdicts: await verdictsOfDocument(text),
    terms,
    ownerOf,
    madeAt: new Date(),
    conditions,
  });
  const name = reportName(path);
  download(name, reportPage(report), "text/html");
  return name;
}

/** The text of a notebook's file, byte for byte; null where the server does not hand it out so. */
async function textOnDisk(contents: Contents.IManager, path: string): Promise<string | null> {
  try {
    const { content } = (await contents.get(path, { type: "file", format: "text", content: true })) as {
      content: unknown;
    };
    return typeof content === "string" ? content : null;
  } catch {
    return null;
  }
}

/** Hands a file to the reader: the browser asks where to, or puts it with the downloads. */
function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const page = globalThis.document;
  const link = page.createElement("a");
  link.href = url;
  link.download = name;
  page.body.append(link);
  link.click();
  link.remove();
  // A download that has begun keeps what it needs; some browsers begin it in the next task.
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 10_000);
}
