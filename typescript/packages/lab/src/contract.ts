/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:a729b39ae2fa325725f2c32ec2c134f7465fbd5be923f043cc77d2b002cd94d1";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
