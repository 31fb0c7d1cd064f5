/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:6f807b22d1df136e1797c2d8745c52aa1c31a9ea7833a9b2d3f3754340ca88fc";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
