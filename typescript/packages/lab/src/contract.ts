/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:ba82f155d653705276a726f3c1427a33612e4397e59abe9fa6b85b5e708b5ebc";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
