/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:9f052dc63c8563592719d57f53dbcc90bb9dec4f7f03aa6e9b2517a3af419040";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
