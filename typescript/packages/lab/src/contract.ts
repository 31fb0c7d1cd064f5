/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:f9b140cd9ec91b5092ef3b58b395dfb5a67f30171c4dcebe7fb187725aa5ebe6";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
