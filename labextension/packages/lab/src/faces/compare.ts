import { compose } from "@service-nb/cards";
import type { Card } from "@service-nb/records";
import { joinedText, markOf } from "@service-nb/verify";
import { VERSION } from "../contract.js";
import type { FaceBlock } from "./look.js";
import { WRITERS } from "./write.js";

/** What the other MIME types of an output are, beside its card. */
export type Faces =
  | { readonly are: "those_of_the_card" }
  | { readonly are: "another"; readonly mime: string }
  | { readonly are: "of_another_version"; readonly version: string };

/**
 * Compares every other MIME type of an output with what this version renders from its card. A front end may show any of
 * them instead of the card; a type that no card has, such as `application/json`, is one too many.
 */
export function compareFaces(card: Card, others: Readonly<Record<string, unknown>>): Faces {
  const blocks: FaceBlock[] = [...compose(card), { block: "mark", version: VERSION }];
  let version: string | undefined;
  for (const [mime, value] of Object.entries(others)) {
    const write = Object.hasOwn(WRITERS, mime) ? WRITERS[mime] : undefined;
    const face = joinedText(value);
    if (write === undefined || face === null) return { are: "another", mime };
    if (write(blocks) === face) continue;
    const marked = markOf(face);
    if (marked === null || marked === VERSION) return { are: "another", mime };
    version = marked;
  }
  return version === undefined ? { are: "those_of_the_card" } : { are: "of_another_version", version };
}
