/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:402d369aa12a1427ca7bc526e4ded98d7cc3d7bae93af2cc76ff4bc7d788b5b3";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
