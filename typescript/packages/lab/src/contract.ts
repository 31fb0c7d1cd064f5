/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:e1a4702a223b74e439d108749aec12960afdd413b5552f4007f9c24cf11151f9";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
