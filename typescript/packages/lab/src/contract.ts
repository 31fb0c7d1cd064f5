/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:254d103ede14b84bfb65d9e74e4f1f2ff08c7a2ba0a54389826091ed6bc7d7df";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
