/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:2df5eedab777d9a46da0b32c761f72fcfe47a67b3ab7e3de1ef62b0c7d0ad6ba";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
