/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:a9311d636f8eb40ad015fbb5a4a122fc02003a8225cd3fb84778c346d3e741b6";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
