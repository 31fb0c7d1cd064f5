/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:7d37bd6932abdf21177cb84a4ac2a682033f18daa970d2f8943e4248c96d8f35";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
