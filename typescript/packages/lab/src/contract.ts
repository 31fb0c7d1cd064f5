/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:ec5158227371463c1c1b45f2f11431dd75adc2f86eeaef6d71e02b4bf5528eb1";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
