/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:bd3a95d4ae42c6f7b9460ce0f4fda5a4bb7f8d0fe80e1bf57fa619e8f8b8f608";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
