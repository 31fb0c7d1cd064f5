/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:427292adaacbe4d75bf1e68f19be1d0b59b6a73dd97fd4f4250cca036374da86";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
