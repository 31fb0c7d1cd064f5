/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:c9dd17f37ce4476f9558c501a092e89b6463b22b32a1d07886bf77ee939b71bd";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
