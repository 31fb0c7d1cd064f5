/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:86f1bf691629b803b00199197cdd4ff309374e72333d7bc385d327bb229598d7";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
