/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:163eb155632e55b739efa46407654f76c7d4d150914234a271ae65d92081e7bf";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
