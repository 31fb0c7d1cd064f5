/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:d1685048d85e165e97e01c5e8e549ee0f391f3be93a1b2755ee6cb04a1f2fb04";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
