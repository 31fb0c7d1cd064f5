import type { NotebookPanel } from "@jupyterlab/notebook";
import type { TranslationBundle } from "@jupyterlab/translation";
import type { Client, Hello } from "@service-nb/link";

/** How the sidebar stands to a kernel. */
export type LinkState =
  | { readonly is: "no_notebook" }
  | { readonly is: "no_kernel" }
  | { readonly is: "connecting" }
  | { readonly is: "not_loaded" }
  | { readonly is: "failed"; readonly code: string; readonly message: string; readonly hint: string | null }
  | { readonly is: "ready"; readonly client: Client; readonly hello: Hello };

export interface Situation {
  readonly panel: NotebookPanel | null;
  readonly link: LinkState;
  /** A cell runs: what is asked now is answered after it. */
  readonly isBusy: boolean;
}

/** Why what needs a kernel cannot be done now; null where it can. */
export function whyNot({ link }: Situation, trans: TranslationBundle): string | null {
  switch (link.is) {
    case "ready":
      return null;
    case "no_notebook":
      return trans.__("There is no notebook.");
    case "no_kernel":
      return trans.__("It needs a kernel, and this notebook has none.");
    case "connecting":
      return trans.__("The link to the kernel is being opened.");
    case "not_loaded":
      return trans.__("The kernel has not loaded service_nb.");
    case "failed":
      return link.message;
  }
}
