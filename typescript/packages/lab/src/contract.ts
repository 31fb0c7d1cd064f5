/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:da5495c2c44903fe9eb7f2802fda2535138a0d7fc5520052e23228d4a5f2e11d";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
