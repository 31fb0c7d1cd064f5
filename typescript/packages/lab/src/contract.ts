/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:74a177eded19e98c69c51f68c4859cda7a950780a7880950865a70a95484f29e";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
