/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:e19919836cd118828ce050f1c6fb4a49af437e0e8a043e11827e70e3116e452a";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
