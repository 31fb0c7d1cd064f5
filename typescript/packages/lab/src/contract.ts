/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:963c5c2d6d487136d57d08a0d4d62be38dd3865e972eb46e3234d31c12dd8adf";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
