import type { ISettingRegistry } from "@jupyterlab/settingregistry";
import type { ITranslator, TranslationBundle } from "@jupyterlab/translation";
import { type ISignal, Signal } from "@lumino/signaling";
import { setTranslator } from "./environment.js";
import { DEFAULTS, faultInWords, readSettings, type Settings } from "./settings.js";
import type { IServiceSettings } from "./tokens.js";
import { sayIn, wordsOf } from "./translation.js";
import { setTerms } from "./verdicts.js";

/** Reads the settings as they change, and tells those that judge cards. */
class ReaderSettings implements IServiceSettings {
  readonly #trans: TranslationBundle;
  readonly #changed = new Signal<this, void>(this);
  #stored: ISettingRegistry.ISettings | null = null;
  #current = DEFAULTS;
  #faults: readonly string[] = [];

  constructor(trans: TranslationBundle) {
    this.#trans = trans;
  }

  get current(): Settings {
    return this.#current;
  }

  get faults(): readonly string[] {
    return this.#faults;
  }

  get changed(): ISignal<this, void> {
    return this.#changed;
  }

  follow(stored: ISettingRegistry.ISettings): void {
    this.#stored = stored;
    stored.changed.connect(this.#read, this);
    this.#read();
  }

  /** Without settings nothing is trusted, and it is said. */
  fail(): void {
    this.#faults = [this.#trans.__("The settings of service_nb could not be read: no key is trusted.")];
    this.#changed.emit();
  }

  async trust(key: string): Promise<void> {
    if (this.#stored === null) throw new Error("The settings of service_nb could not be read, so none can be stored.");
    // With those of the administrator: a reader's own list takes their place.
    const before: unknown = this.#stored.composite["trustedKeys"];
    const keys = Array.isArray(before) ? before.filter((each): each is string => typeof each === "string") : [];
    await this.#stored.set("trustedKeys", [...keys, key]);
  }

  #read(): void {
    const { settings, faults } = readSettings(this.#stored?.composite);
    this.#current = settings;
    this.#faults = faults.map((fault) => faultInWords(fault, this.#trans));
    setTerms({ keys: settings.keys, contracts: settings.contracts });
    this.#changed.emit();
  }
}

/** Has cards speak the reader's language and be judged by the reader's terms, from now on. */
export function startReading(
  id: string,
  registry: ISettingRegistry | null,
  translator: ITranslator | null,
): IServiceSettings {
  const trans = wordsOf(translator);
  setTranslator(sayIn(trans));
  const settings = new ReaderSettings(trans);
  registry?.load(id).then(
    (stored) => {
      settings.follow(stored);
    },
    () => {
      settings.fail();
    },
  );
  return settings;
}
