/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:eaa7da9e93cc375226f87024c7d2c78d33b336bb8bcdd0521bb45e10d3a462e7";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
