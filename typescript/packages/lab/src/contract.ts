/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:1f6a9aed7c821299e83b1f42b2bc6447ac7d7886a6d2b46070558268de6dde10";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
