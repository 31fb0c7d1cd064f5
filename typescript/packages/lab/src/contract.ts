/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:924237eecacc32b53778e577577bf83dec8f02a4facfaa0cce230f5c149f8df8";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
