/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:8d0c30f69ea35be3d5e57478e148299a5087a08706dc5c711b79077e7ef5ac06";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
