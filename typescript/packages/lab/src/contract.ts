/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:ce19cdcdd5fec95aefa658f48356e9f81f4650442fdbd63a17b8f6852cf51844";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
