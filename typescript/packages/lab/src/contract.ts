/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:7f7edbcbdaff1d0a1ed63d863a6cf746b511379483698eefc72fc91b27b38ce3";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
