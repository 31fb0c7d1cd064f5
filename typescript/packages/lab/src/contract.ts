/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:5f0fb4c72b14e79447599a27880cdcdf64b5ce6d21a954d2ac6229e22a08f080";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
