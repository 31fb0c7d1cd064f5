/** A report, as `service-nb verify --json` prints it. */
export interface ReportJson {
  readonly status: Status;
  readonly accepted: boolean;
  readonly strict: boolean;
  readonly counts: Readonly<Record<Status, number>>;
  readonly conditions: Readonly<Record<string, string | readonly string[]>>;
  readonly command: string | null;
  readonly files: readonly FileJson[];
  readonly causes: Readonly<Record<string, { readonly means: string; readonly remedy: string }>>;
}

export type Status = "verified" | "unaltered" | "consistent" | "not_checkable" | "altered";

export interface FileJson {
  readonly file: string;
  readonly sha256: string | null;
  readonly status: Status;
  readonly verdicts: readonly VerdictJson[];
}

export interface VerdictJson {
  readonly subject: string;
  readonly status: Status;
  readonly checks: readonly CheckJson[];
  readonly headline: string;
  /** What the card says of itself; null of what is no card. */
  readonly words: string | null;
  readonly answer: AnswerJson | null;
  readonly signer: SignerJson | null;
}

export interface CheckJson {
  readonly check: string;
  readonly status: "passed" | "failed" | "not_checkable";
  readonly cause: string | null;
  readonly message: string;
}

/** What a card shows as its answer: a table of shown text, one value, or a sentence. */
export interface AnswerJson {
  readonly heads?: readonly string[];
  readonly aligned?: readonly string[];
  readonly rows?: readonly (readonly string[])[];
  readonly value?: string;
  readonly text?: string;
  readonly note?: string;
}

export interface SignerJson {
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly trusted: boolean;
}
