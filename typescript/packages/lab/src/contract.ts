/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:4c1db70590542511706c7b2c9adf3bb05cb1742d52bd95defe8aacdd8bf42eac";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
