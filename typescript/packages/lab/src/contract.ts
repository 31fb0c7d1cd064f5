/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:a4c8d97ac10addbe453507807957c303dd4ae3a05f68e312cb0fe08081aed6ab";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
