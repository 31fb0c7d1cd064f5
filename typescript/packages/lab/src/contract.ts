/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:95ac7936bea71d1ae1f802ed5e17b6a0d9585a7e12fd84b4b7f8e74854588d11";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
