/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:144869f0d3185d0661466324cc4db71f8d2b79fb6403faca63e27c41a7eb397a";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
