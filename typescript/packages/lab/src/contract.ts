/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:08a5387707cb74614ddece64ede316e9fe923bdf8a282662061c3121a8f2b1f1";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
