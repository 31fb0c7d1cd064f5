/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:0895fd24cb1012edf2cd119db9afea99b04177a1968b1bcc9f78a387fe546191";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
