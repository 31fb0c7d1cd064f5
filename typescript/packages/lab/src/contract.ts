/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:84c0a1b06149f65f0202e9f7ea126d460b285322899408ede8d4cb65875743cf";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
