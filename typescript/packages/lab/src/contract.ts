/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:c62d680dae45f030a70718efe8c396956eee943a441b74046c8e57df3092afb7";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
