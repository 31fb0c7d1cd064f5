/** The client for Node; what needs no Node is in `@service-nb/client/core`. */

export * from "./core.js";
