/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:1b4ecb3b9435df45f49d6569021d4f0599f44fc61b6a1edbfe31bac767519506";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
