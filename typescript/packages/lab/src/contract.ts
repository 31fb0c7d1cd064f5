/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:838fb12949d0ca9ce026bf9bf5982c9b355e0e1da13ea94ab9cdb53dfd6109b7";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
