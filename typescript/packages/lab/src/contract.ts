/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:5b50080621af740540cd459bd31a2878225534f6ca3dd2903089e29e6ca3f2c9";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
