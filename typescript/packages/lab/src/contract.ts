/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:2e66682af1adf84bdadcf7978654735a06e01bfcacaa38217dfafdf63b1e6aa3";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
