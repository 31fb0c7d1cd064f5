import type { ISettingRegistry } from "@jupyterlab/settingregistry";
import type { ITranslator, TranslationBundle } from "@jupyterlab/translation";
import { type ISignal, Signal } from "@lumino/signaling";
import { setDigits, setOwners, setTranslator } from "./environment.js";
import { KeysOfServer, NO_KEYS, type ServerKeys } from "./server-keys.js";
import { DEFAULTS, faultInWords, readSettings, type Settings } from "./settings.js";
import type { IServiceSettings } from "./tokens.js";
import { sayIn, wordsOf } from "./translation.js";
import { onUnknownSigner, setTerms } from "./verdicts.js";

/** What a reader knows by another way than from the notebook: by settings, and by what the server knows. */
export interface ReaderTerms extends Settings {
  /** The keys that are the reader's own; they are among `keys`. */
  readonly own: readonly string[];
  /** Whose a key is, where the reader has named it. */
  readonly names: ReadonlyMap<string, string>;
}

/** Reads the settings as they change, and tells those that judge cards. */
class ReaderSettings implements IServiceSettings {
  readonly #trans: TranslationBundle;
  readonly #changed = new Signal<this, void>(this);
  #stored: ISettingRegistry.ISettings | null = null;
  #server = NO_KEYS;
  #current: ReaderTerms = { ...DEFAULTS, own: [], names: new Map() };
  #faults: readonly string[] = [];

  constructor(trans: TranslationBundle) {
    this.#trans = trans;
  }

  get current(): ReaderTerms {
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

  /** Takes what the server knows; settings are added to it. */
  know(server: ServerKeys): void {
    if (JSON.stringify(server) === JSON.stringify(this.#server)) return;
    this.#server = server;
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
    const { own, trusted } = this.#server;
    const keys = [...new Set([...own, ...trusted.map(({ key }) => key), ...settings.keys])];
    const names = new Map(trusted.map(({ key, name }) => [key, name] as const));
    this.#current = { ...settings, keys, own, names };
    this.#faults = [...this.#server.faults, ...faults.map((fault) => faultInWords(fault, this.#trans))];
    setOwners((key) => (own.includes(key) ? "you" : keys.includes(key) ? { name: names.get(key) ?? "" } : undefined));
    setDigits(settings.digits);
    setTerms({ keys, contracts: settings.contracts, own });
    this.#changed.emit();
  }
}

/** Has cards speak the reader's language and be judged by the reader's terms, from now on. */
export function startReading(
  id: string,
  registry: ISettingRegistry | null,
  translator: ITranslator | null,
  ask: () => Promise<ServerKeys>,
): IServiceSettings {
  const trans = wordsOf(translator);
  setTranslator(sayIn(trans));
  const settings = new ReaderSettings(trans);
  const keys = new KeysOfServer(ask, (known) => {
    settings.know(known);
  });
  onUnknownSigner(() => {
    keys.refresh();
  });
  keys.refresh();
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
