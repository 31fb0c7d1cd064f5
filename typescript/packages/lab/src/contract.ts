/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:8ed29f24a4bc49cf0332b924ba8b12e5e55f50638de2f0591818195375928433";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
