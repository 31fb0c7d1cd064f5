export { verifyCard } from "./card.js";
export { sha256Hex } from "./digest.js";
export { cardsAmong, outputsIn, showsData } from "./cards-in.js";
export { checkCell, statedPlace, verdictIn } from "./cell.js";
export { FACE_MIMES, joinedText, markOf } from "./mark.js";
export { verifyDocument } from "./document.js";
export { verifyNotebook } from "./notebook.js";
export { CardsMet } from "./order.js";

export type { CellSource, StatedPlace } from "./cell.js";
export type { PlacedOutput } from "./cards-in.js";
export type { VerifyOptions } from "./options.js";
export type { Check, CheckName, CheckStatus, Verdict, VerdictStatus } from "@service-nb/records";
