/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:e3f4203e8851f6a25799c424810090a53f8c704e08d5cb5403e18be6af47dcdc";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
