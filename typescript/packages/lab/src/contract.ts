/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:fb792edd48ca56bcf149d8caa9eb614f3951b168abc3441d2cb050dfd9677724";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
