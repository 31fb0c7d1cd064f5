/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:29a628da28975de056bf27a1d9b2268175082c57b165c977e967da66794dc222";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
