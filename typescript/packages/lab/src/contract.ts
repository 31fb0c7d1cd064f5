/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:22be023391cf0835be6de1ee5e9910aa12f24b40f52fa438032ea25307bd30ce";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
