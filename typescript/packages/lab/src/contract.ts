/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:98b2213f9fb5138f523a566a543a41bfbf859c3962ab507ab19bdd64430427e9";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
