/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:76444ea0bbc439b12e804d248f91bdd09167798ec5ee327ec143af6debc2ce65";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
