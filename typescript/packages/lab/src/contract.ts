/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:d9d04793f5f3945d77f521f2239db39ee9462dca3ae23969b2e81e6abc3c0038";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
