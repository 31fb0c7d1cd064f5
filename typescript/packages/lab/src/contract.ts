/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:97d6d28b6ffccae67855029d9a92dd8be8d897e3f6eb865709111477021e2737";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
