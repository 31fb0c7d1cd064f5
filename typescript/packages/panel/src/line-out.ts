/** What the panel sends up the page when a line shall become a cell. Who takes it calls `preventDefault`. */
export const INSERT_EVENT = "service-nb:insert";

export type Taken = "cell" | "clipboard" | "nowhere";

/** Put a line into a new cell where the page can do that, else on the clipboard, where the page may do that. */
export async function giveLine(from: HTMLElement, line: string): Promise<Taken> {
  const view = from.ownerDocument.defaultView;
  if (view === null) return "nowhere";
  const event = new view.CustomEvent(INSERT_EVENT, {
    bubbles: true,
    cancelable: true,
    composed: true,
    detail: { line },
  });
  if (!from.dispatchEvent(event)) return "cell";
  return (await written(view.navigator, line)) ? "clipboard" : "nowhere";
}

async function written(navigator: Navigator, line: string): Promise<boolean> {
  // Pages that came by plain http have no clipboard, whatever the types say.
  const { clipboard } = navigator as { readonly clipboard?: Clipboard };
  try {
    await clipboard?.writeText(line);
  } catch {
    return false; // the page may not: the reader is told, and copies by hand
  }
  return clipboard !== undefined;
}
