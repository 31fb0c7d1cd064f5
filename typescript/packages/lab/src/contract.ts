/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:f0904f16caf3c4d1f70dc8deb052bd283f11c3f1f908f1b271ac9e5b1c3526ff";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
