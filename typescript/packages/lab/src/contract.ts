/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:2d810dc885382ce7b571068059888c9bc1600b7739f3ea79ac229a227c3813b6";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
