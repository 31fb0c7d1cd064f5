/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:2ab5495ef09ff60404aa9cb24ca1d7816285e61dc6028b6d3e6a425e31dc65dd";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
