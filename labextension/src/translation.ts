import { type ITranslator, nullTranslator, type TranslationBundle } from "@jupyterlab/translation";

/** The domain under which a language pack has our words. */
export const DOMAIN = "service_nb";

/** Our words in the language of the reader; in English where nobody translates. */
export function wordsOf(translator: ITranslator | null): TranslationBundle {
  return (translator ?? nullTranslator).load(DOMAIN);
}

/** Translates whole sentences of other packages. Their `%1` stays: `gettext` alone would put `undefined` there. */
export function sayIn(trans: TranslationBundle): (text: string) => string {
  return (text) => trans.gettext(text, "%1", "%2", "%3");
}

/** The same for sentences of a page, whose `%1` are filled at once. */
export function sayWith(trans: TranslationBundle): (text: string, ...parts: readonly string[]) => string {
  return (text, ...parts) => trans.gettext(text, ...parts);
}
