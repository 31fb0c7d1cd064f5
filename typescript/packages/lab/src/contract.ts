/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:8e025fc519b464d413740c8a4c57d1771694b0de7607d699c4db5f11087bac72";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
