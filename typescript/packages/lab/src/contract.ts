/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:06294594c3ed07f15f03182f3d930c01c865bd877e9529f8541aa40b74ec16a5";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
