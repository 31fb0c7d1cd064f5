/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:4a2d797b039a0bb86339605f8a976bef0c5b7e0c4cb5d58795f2f78796b2ca02";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
