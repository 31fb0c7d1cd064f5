/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:6515fcc7ca89976950f01644f6222fda83b46652da35c053a8795f8ff61432f6";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
