/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:aa4769bade09deaeac5d3944b519f680d6c0d06d5253807ba600c798a33254fb";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
