/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:47922aaf3fb1d7f4e88f28b65c0f1944b603c3772a35c7cc7877a7b730c9fcd9";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
