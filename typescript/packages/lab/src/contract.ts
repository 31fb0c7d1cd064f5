/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:8b8893431ad551d0a2396321464e906e82f8ee4c2283f691c26a3ae41d568b09";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
