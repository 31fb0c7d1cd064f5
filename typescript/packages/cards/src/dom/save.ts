/** Hands a text, or bytes, to the reader as a file; nothing leaves the page. */
export function save(name: string, type: string, content: string | Uint8Array<ArrayBuffer>): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = globalThis.document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken the address by then; Safari takes it in a task of its own.
  globalThis.setTimeout(() => {
    URL.revokeObjectURL(address);
  }, 1_000);
}
