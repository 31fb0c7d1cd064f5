/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:45ba4a7b01bef66448a6fcb8d62ae47253d60eaf9d00ea232a8514e0db6486fa";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
