/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:b7fe59c6de24a1b25d32bc13be0356e1e9bef4b615d227eb3f02cd236d809328";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
