/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:2fd0de58d4aa9a6e954b8a3b8fe92cee2d2ab640a0072658f9dcb59a538e1aeb";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
