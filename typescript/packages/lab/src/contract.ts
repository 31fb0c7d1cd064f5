/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:ae63e58435debb60497eb67ae553ad2fbe12ffda28442a7ace775069501d2317";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
