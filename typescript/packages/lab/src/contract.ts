/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:15d4292379797f1d1ee4b23baeae3ad4d58525be9d877c68e9df0a9371d094a2";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
