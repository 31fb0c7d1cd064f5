/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:0d6f99dc2b1c51acc8e05bc7e1325d8bdeb1e473314e2c1239e4d64aecac64e4";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
