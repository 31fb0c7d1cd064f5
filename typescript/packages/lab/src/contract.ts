/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:79b2de295731e1d2db2a1bf8d03fb187a3007c51e650fcf67a02a0a5af03d593";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
