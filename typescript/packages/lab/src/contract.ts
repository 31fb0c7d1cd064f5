/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:538796c92ffbf8ac21c54b7c068a5b207f37a5bf427eca584c46217b60d1331c";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
