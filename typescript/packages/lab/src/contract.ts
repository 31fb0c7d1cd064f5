/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:69d7f3ca1e371c63e56d2b26ca72016b955b25850c518f4bf371608e995006b3";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
