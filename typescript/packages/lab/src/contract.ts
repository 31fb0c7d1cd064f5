/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:ec5b8e0b91cacadc631c1550a83b889c6910cd18aeab1273d2520c5ea1c03a61";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
