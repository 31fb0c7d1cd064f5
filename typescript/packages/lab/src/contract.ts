/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:3b7dd16a7926b9ee82c5af6b2c71b159820b86f4a32007738f10ad4ed4d07eb5";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
