/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:52571a22930850fe93319b6f291f56ba84dd74eb7b16579500b1c5dd3f27cb16";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
