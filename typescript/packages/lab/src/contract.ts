/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:f82ec77e144d947059d25f10fbeff65eecfc5e02ff66a8526e553be66a2c8fc1";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
