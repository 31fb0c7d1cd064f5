/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:33ed62137459915f6130f54243931dd6b552373a74cc4592c492a24389f8cd47";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
