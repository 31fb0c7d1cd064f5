/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:dc7bc5b28dcf48067ded041cf5d550a2b13214bfbee128c79aac92a8219a205b";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
