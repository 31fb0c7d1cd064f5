/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:358609e7c0cecd1fe142b273267a25917c5fa43e5112d36b7eb297cc1fbe5174";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
