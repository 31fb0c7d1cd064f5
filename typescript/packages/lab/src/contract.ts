/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:9e153b6755eff46ed91013e02878a78f148fa6935a2a86cfe9144db1d476aa2f";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
