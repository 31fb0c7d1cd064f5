/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:6172b4141ec6d6f62a8a11ecac973c3994b16950a2ecb730109f53ae4616ee48";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
