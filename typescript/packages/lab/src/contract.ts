/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:3242314467c0c9267f5b3344ade10ae17ef59d2c31c70d7ae3b1541f5f94db65";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
