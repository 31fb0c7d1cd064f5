/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:eb24f70f7bb1012649bf298514f48f2f5e073b5cc0e0418896778c8e854287e4";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
