/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:088ef695448877ca5023201e9f4bb9861718a7846a3f8ae13792947e84db4e0d";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
