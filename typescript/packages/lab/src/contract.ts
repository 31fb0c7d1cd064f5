/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:c8e3a368787326d655b5986622add44b8178539cb9450cbfa0fbf2f999ef3daa";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
