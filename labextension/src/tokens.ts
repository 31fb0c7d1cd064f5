import { Token } from "@lumino/coreutils";
import type { ISignal } from "@lumino/signaling";
import type { ReaderTerms } from "./reading.js";
import type { Sidebar } from "./sidebar/sidebar.js";

/** The settings as they are now: changed by hand while the page is open, they hold at once. */
export interface IServiceSettings {
  readonly current: ReaderTerms;
  /** What is wrong with them, in words. */
  readonly faults: readonly string[];
  readonly changed: ISignal<IServiceSettings, void>;
  /** Adds a key to those that are trusted. */
  trust(key: string): Promise<void>;
}

export const IServiceSettings = new Token<IServiceSettings>(
  "@service-nb/lab:IServiceSettings",
  "The settings of service_nb, validated.",
);

export const ISidebar = new Token<Sidebar>(
  "@service-nb/lab:ISidebar",
  "The sidebar of service_nb: sources, capabilities and evidence of the notebook in front.",
);
