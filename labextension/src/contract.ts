/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:08a1626d47d1dc36416ae203c480c6face6929ebf87bd3a569772b48cc1e0fab";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
