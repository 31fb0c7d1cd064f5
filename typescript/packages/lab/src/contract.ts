/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:fee755e40d6db9182ab6e0c987f1857bfc2991cf3065595b857b8a7a1622a8fa";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
