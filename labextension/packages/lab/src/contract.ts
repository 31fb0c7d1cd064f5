/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:6a156d96ba4a396e2e731ebb5a6557fb0867606286ea69b87e6c6293000ddc5f";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
