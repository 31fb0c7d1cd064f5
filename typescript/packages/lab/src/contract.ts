/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:280d1e87d89a1b7e22b7438f51fd41931dfb0557c1925805bc6a3544eb28ccb2";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
