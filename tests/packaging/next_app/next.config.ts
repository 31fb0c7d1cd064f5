import type { NextConfig } from "next";

const config: NextConfig = { outputFileTracingIncludes: { "/answer": ["data/sales.csv"] } };

export default config;
