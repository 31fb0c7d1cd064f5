import { vi } from "vitest";

/** What Lumino needs of a browser as soon as it is loaded, and jsdom does not have. */
export function completePlatform(): void {
  vi.stubGlobal("DragEvent", MouseEvent);
}
