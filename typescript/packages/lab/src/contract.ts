/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:fa2eabc7d554111d9a1361f9de8899aec424d8ed83e22860fa749eb24f02dadd";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
