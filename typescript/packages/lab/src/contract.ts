/** The contract of this release. Who has installed it knows it, as `service-nb verify` of the same release does. */
export const OWN_CONTRACT = "sha256:09f86bd94c31baa1532c69eda9558eff7616482c976741b03634863d6354fbc4";

/** This release: faces that it wrote, it writes again to the byte. */
export const VERSION = "0.1.0";
