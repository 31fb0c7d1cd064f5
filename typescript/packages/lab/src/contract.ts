/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:b6c56460d4721ef6a2f65566b94d57dddf0ee18a3e06ec489c1d7b32dc05d353";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
