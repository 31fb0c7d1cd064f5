/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:a6d6d4101b0168b5ff8e3c541237d7651ed9bc7b8b757b1fc1b5c31cc54bbb1c";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
