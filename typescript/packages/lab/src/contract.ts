/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:250a6849630bed577a181ee1da837b7a334763c5d6d50ea173366dde0c7f36aa";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
