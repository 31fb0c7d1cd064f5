/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:3d536360a93c5582da1936b488a1049c89b26b5b1f1c72a5f9b240617d79da70";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
