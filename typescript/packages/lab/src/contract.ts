/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:0e7b97333398d86b1d79535a1f5846c3a1329d94f92160cf461805596e2c197e";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
