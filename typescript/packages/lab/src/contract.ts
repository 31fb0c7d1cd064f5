/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:300e07f318052482e64ebff1942cab458a3eebf10c46b851462ff9be8f27801f";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
