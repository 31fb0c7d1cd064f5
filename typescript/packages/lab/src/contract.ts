/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:eb577e9e348cf39aae76fca0b68528e0067583e1c3353c6e5ee865671199f16b";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
