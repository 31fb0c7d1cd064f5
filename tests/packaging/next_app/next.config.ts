import type { NextConfig } from "next";

const config: NextConfig = {
  distDir: process.env["DIST_DIR"] ?? ".next", // of a build beside the one that is served
  outputFileTracingIncludes: { "/answer": ["data/sales.csv"] },
};

export default config;
