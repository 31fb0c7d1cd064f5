/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:1ebc0dea072b64e5bdc167a2a332c41599689f27f4498a64b26320369a3ee11c";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
