/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:d4751a5d82d1692ff9649c10e6b0a09406aed99cd1a9ee6fded50b4002160151";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
