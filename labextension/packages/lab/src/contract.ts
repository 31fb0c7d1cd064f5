/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:8f1d21021024f2042f05bdfdd51f9392d7bec8248bb9fd58aef6db28601be1f9";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
