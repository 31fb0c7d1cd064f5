/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:3407144f3b116e4fb7a124a8e48f40ea876bb6456c998837411b5477546765bc";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
