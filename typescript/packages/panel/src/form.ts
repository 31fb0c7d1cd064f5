import type { Client } from "@service-nb/link";

/** A button below a form. What is done with the line is the host's business: run it, insert it, copy it. */
export interface Action {
  readonly label: string;
  readonly primary?: boolean;
  run(line: string): void;
}

export interface FormOptions {
  readonly client: Client;
  /** The buttons; they act only on a line that the kernel has checked. The primary one also answers Enter. */
  readonly actions: readonly Action[];
  /** Translation. The text as it is by default. */
  readonly say?: ((text: string) => string) | undefined;
}

/** What a form of a capability is made with. */
export interface ComputeOptions extends FormOptions {
  /** Arguments and the line alone: the host searches, and says itself what the capability is. */
  readonly argumentsOnly?: boolean | undefined;
}

export interface Form {
  /** Ask the kernel anew what there is: sources were connected, the policy is another. */
  refresh(): Promise<void>;
  /** Keep the buttons from acting, and say why; null lets them act again. */
  hold(reason: string | null): void;
  dispose(): void;
}

/** A form that shows one thing after another: a source to ask, a capability to call. */
export interface OpenForm extends Form {
  open(name: string): Promise<void>;
}
