/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:d55cae08814473f0ea7cdcfa99bc40fdab54b1433b420abad365d73c837e2146";
