import { own } from "@service-nb/records";

/** The MIME types of a card's faces. */
export const FACE_MIMES = ["text/html", "text/markdown", "text/latex", "text/plain"] as const;

// A line or an element of its own; in the text of a list of outcomes a comma or a bracket follows.
const MARK = /(?:^|[\n>])[ \t]*Card of service\\?_nb ([0-9A-Za-z.+!-]{1,40})[ \t]*(?:[\n<\])},]|$)/;

/** The version that wrote a face of a card; null where a text is not marked as one. */
export function markOf(text: string): string | null {
  return MARK.exec(text)?.[1] ?? null;
}

/** Whether one of an output's texts is marked as the face of a card. */
export function isMarked(data: Readonly<Record<string, unknown>>): boolean {
  return FACE_MIMES.some((mime) => {
    const text = joinedText(own(data, mime));
    return text !== null && markOf(text) !== null;
  });
}

/** A text of an output's data, which notebooks keep whole or as a list of lines; null where it is no text. */
export function joinedText(value: unknown): string | null {
  if (Array.isArray(value)) return value.every((line) => typeof line === "string") ? value.join("") : null;
  return typeof value === "string" ? value : null;
}
