/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:efec3647b2e403dbd836744ffaf6da8645c7b7d9721f0611f44809a328462939";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
