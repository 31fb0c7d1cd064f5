/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:70a3ed86e4b93bad282d3e6da248e1d57b4eefaca85a62d9dc9867ddc8bc2fe3";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
