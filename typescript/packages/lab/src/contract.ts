/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:f81d7d836fcd261f8e44436fb06f68ae4102abb80a5071e73d1e640835d61698";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
