/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:d73cb58cc6ac614a2ac142220a7736de2fe0ede14853dc264ff4f9c255ba940a";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
