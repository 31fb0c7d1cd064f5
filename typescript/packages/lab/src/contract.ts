/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:4a2eb64579cfb6a102dfa9b516869117bd9eb86a249387888367193b93d8a5d7";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
