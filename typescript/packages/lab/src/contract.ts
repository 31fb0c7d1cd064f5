/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:22c05b49f67d9d13a867c8a953e7598c60445e69a77298c3d8b7e732517948b1";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
