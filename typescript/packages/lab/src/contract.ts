/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:7387a86c075f9673a411f9882b77310525b6ee70d209c44ffcef1d84eedace81";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
