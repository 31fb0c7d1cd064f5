/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:c25ae269837d5e640f42a4bd5f023a266139a9f982ca711f6519cf7588cc212a";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
