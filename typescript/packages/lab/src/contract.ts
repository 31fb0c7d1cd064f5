/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:f40c20ae25ff99d83395ca1a1d1bb595d7a44bd7ac1d4942c8298b0a943d3724";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
