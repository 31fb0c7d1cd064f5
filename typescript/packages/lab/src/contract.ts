/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:941d0204db515d4a3dc8b2816b7f4046bde94c94ba589cdca073753d8efe3abd";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
