/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:07be617d7b137a3a5f5d9b02c08abd614a9464df0e36a6062cf3000a26b02979";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
