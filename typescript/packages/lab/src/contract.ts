/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:8ba71f49e0d7fbe3fd88bab0fdcfcb60c995b26053ad7777c6732cd27717e349";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
