/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:3a80406399fee5a3e79414ee5b88c9af33b1b21c48fb25b6e900df8134e3b0a8";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
