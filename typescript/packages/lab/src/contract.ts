/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:298935cbbf3ae822a2e69293b3abd4249af7ccadc4d7c31743bcf5ce3c5717e1";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
