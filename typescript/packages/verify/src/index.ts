export { verifyCard } from "./card.js";
export { sha256Hex } from "./digest.js";
export { cardsAmong, outputsIn } from "./cards-in.js";
export { FACE_MIMES, joinedText, markOf } from "./mark.js";
export { verifyDocument } from "./document.js";
export { verifyNotebook } from "./notebook.js";

export type { PlacedOutput } from "./cards-in.js";
export type { VerifyOptions } from "./options.js";
export type { Check, CheckName, CheckStatus, Verdict, VerdictStatus } from "@service-nb/records";
