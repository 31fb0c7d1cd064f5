/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:1ac3b0fbf0ff3c856bd51437d96a6c0af441f85ce84b5b881c841973c4715744";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
