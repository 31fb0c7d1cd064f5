import { ASK } from "./ask.js";
import { DOCTOR } from "./doctor.js";
import { VERIFY } from "./verify.js";
import { VERSIONS } from "./version.js";
import { type Verb } from "./verb.js";

/** What the command can do, in the order of its help. */
export const VERBS: readonly Verb[] = [ASK, VERIFY, DOCTOR, VERSIONS];
