/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:299d1fe8223be85a02cdc1ee74ffa75f20c0838e6b364def47601bc820a2a204";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
