import { Notification } from "@jupyterlab/apputils";
import type { TranslationBundle } from "@jupyterlab/translation";
import { isKey } from "./settings.js";
import type { IServiceSettings } from "./tokens.js";
import type { Judged } from "./tracking.js";

type Confirm = (title: string, body: string) => Promise<boolean>;

/** Adds the key that signed a card to those that are trusted, once the reader has seen and compared it. */
export async function trustSigner(
  judged: Judged | null,
  settings: IServiceSettings,
  trans: TranslationBundle,
  confirm: Confirm,
): Promise<void> {
  const key = judged?.evidence.signer ?? null;
  if (judged === null || key === null || !isKey(key)) {
    Notification.info(trans.__("There is no signed card in this cell."), { autoClose: 5000 });
    return;
  }
  // A key that a card merely names is nobody's: it must have signed, and what it signed must be this card.
  const holds = (check: string): boolean =>
    judged.verdict?.checks.some((each) => each.check === check && each.status === "passed") === true;
  if (!holds("signature") || !holds("statement")) {
    Notification.warning(trans.__("The signature of this card does not hold. Its key was not trusted."), {
      autoClose: 8000,
    });
    return;
  }
  if (settings.current.keys.includes(key)) {
    Notification.info(trans.__("You trust this key already."), { autoClose: 5000 });
    return;
  }
  const body = trans.__(
    "The key of device %1 signed this card: %2. A signature says which key, never whose: compare it with what its owner gave you by another way than this notebook. Cards that it signed are verified from then on; others stay as they are.",
    judged.evidence.device ?? "",
    key,
  );
  if (await confirm(trans.__("Trust this key?"), body)) {
    try {
      await settings.trust(key);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      Notification.error(trans.__("The key was not stored, and is not trusted: %1", why), { autoClose: 15000 });
      return;
    }
    Notification.success(trans.__("The key is trusted from now on. The settings list it."), { autoClose: 4000 });
  }
}
