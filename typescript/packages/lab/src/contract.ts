/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:ae85f87fb495fb04520612ccbd04ff7d5086463008e6fda63f5d6a46290bfaa8";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
