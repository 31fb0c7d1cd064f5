/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:88ee6549231267f1404039a8df097347b1b85d9651aabc18d012002728cbe8ac";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
