import type { NextConfig } from "next";

const isBundled = process.env["BUNDLED"] === "1"; // as an application has it that does not name the client

const config: NextConfig = {
  distDir: process.env["DIST_DIR"] ?? ".next", // of a build beside the one that is served
  outputFileTracingIncludes: { "/answer": ["data/sales.csv"], "/sqlite": ["data/sales.sqlite"] },
  serverExternalPackages: isBundled ? [] : ["@service-nb/client"],
};

export default config;
