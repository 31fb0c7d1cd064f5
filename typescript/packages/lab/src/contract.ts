/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:b39eb44c568fec68a2706c4583a79418bfcbb7c996b16fb66976c7a73dcb3a90";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
