/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:57a560c9b6508e9ed00a840fe21ac08140978e6068abf77c7c33253af5f14427";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
