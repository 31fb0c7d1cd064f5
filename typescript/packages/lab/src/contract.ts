/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:6b6a4ac3fb43d022c0b665aee73f8316e34e7b343b0092138b3f7a577a88a887";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
