/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:81527450a59b026f5189043f68b73873a53bbfb5684a71e51075c3b06d823b41";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
