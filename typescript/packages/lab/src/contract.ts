/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:54c904b50831bcd62153a3b76f942d8f35ca44bafb62124c582bb2ae3bdddd71";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
