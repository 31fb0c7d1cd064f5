/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:97f1e76a311692db3b4b3141ae334e02d0e5886a27d76ae39fcb851106630548";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
