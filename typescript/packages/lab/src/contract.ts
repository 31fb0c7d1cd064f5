/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:0a3062338a4d9e139a7f7a585689fba63665fda122809813acf1658159d5d4f9";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
