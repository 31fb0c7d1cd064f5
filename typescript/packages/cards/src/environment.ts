import type { HashedText } from "./blocks.js";
import type { Owner } from "./headline.js";

/** What a card needs of the page around it. */
export interface CardEnvironment {
  /** Puts a sentence into the reader's language; `%1` in it stays. */
  say(text: string): string;
  copy(text: string): Promise<void>;
  /** Sets the mathematics in a node whose text is `\(…\)`. Without it, formulas are shown as they are computed. */
  typeset?(node: HTMLElement): void;
  /** Whose a public key is (base64), where the reader has said so. */
  ownerOf?(key: string): Owner | undefined;
  /** The digits that numbers are shown with; the usual ones where it is none. */
  readonly digits?: unknown;
  /** Verifies the shown card again, and tells `judge`. */
  onVerify?(): void;
  /** Puts a line into a new cell and runs it, for the button at `from`; only where there is a notebook to run it in. */
  onRun?: ((line: string, from: HTMLElement) => void) | undefined;
  /** Runs a stored result again; only where there is a kernel. */
  onReplay?: ((id: string) => void) | undefined;
  /** Told when the text of a whole result was loaded and found to have its hash: the card is verified with it. */
  onLoaded?(name: HashedText["name"], text: string): void;
  /** Who has the whole of what was recorded; only where there is a kernel. */
  results?: ResultKeeper | undefined;
}

/** How far the loading of a result is, and how it is broken off. */
export interface Loading {
  readonly progress: (done: number, total: number) => void;
  readonly signal: AbortSignal;
}

/** Who has recorded outcomes: a kernel, or what it reads. Both reject with an error whose message is for people. */
export interface ResultKeeper {
  /** A hashed text, once it was found to have its hash; another text is never handed out. */
  text(id: string, wanted: HashedText, loading: Loading): Promise<string>;
  /** The rows as a Parquet file, which names the hash that was asked for. */
  parquet(id: string, wanted: HashedText, loading: Loading): Promise<Uint8Array<ArrayBuffer>>;
}
