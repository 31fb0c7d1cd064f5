/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:994f8fd3152b43936dcbeb9e43a531e500ae977eb391adabe76a93fed943427f";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
