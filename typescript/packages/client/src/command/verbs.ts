import { ASK } from "./ask.js";
import { COMPUTE } from "./compute.js";
import { DOCTOR } from "./doctor.js";
import { LOGIN, LOGOUT } from "./login.js";
import { RUNTIME } from "./runtime.js";
import { VERIFY } from "./verify.js";
import { VERSIONS } from "./version.js";
import { type Verb } from "./verb.js";

/** What the command can do, in the order of its help. */
export const VERBS: readonly Verb[] = [ASK, COMPUTE, VERIFY, LOGIN, LOGOUT, RUNTIME, DOCTOR, VERSIONS];
