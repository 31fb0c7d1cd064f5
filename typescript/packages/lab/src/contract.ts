/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:bcbe53bd2c033bf636692d6b897b6a1a9ae561b1d902abd7863a77bda7bec4c6";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
