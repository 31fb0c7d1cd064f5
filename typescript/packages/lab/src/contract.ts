/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:59587b863684facb4f27de603449606599b5b4ca0aa6ca94a63952297dc4ad80";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
