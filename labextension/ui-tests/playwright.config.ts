import process from "node:process";
import { defineConfig } from "@playwright/test";

/**
 * What `tests/browser` gives to a run: where the server is, the folder that it serves, and where to leave what failed.
 * Debian's Chromium is the browser; no name but the server's resolves in it.
 */
const given = (name: string): string => {
  const value = process.env[name];
  if (value === undefined)
    throw new Error(`${name} is not set: specs are run by tests/browser, with a server of theirs.`);
  return value;
};

export default defineConfig({
  testDir: ".",
  outputDir: process.env["E2E_OUTPUT"] ?? "../../build/ui-tests",
  timeout: 300_000,
  expect: { timeout: 30_000 },
  workers: 1,
  retries: 0,
  reporter: [["list"]],
  forbidOnly: true,
  use: {
    baseURL: given("E2E_URL"),
    viewport: { width: 1280, height: 900 },
    actionTimeout: 60_000,
    navigationTimeout: 120_000,
    screenshot: "only-on-failure",
    video: "off",
    trace: "off",
    launchOptions: {
      executablePath: process.env["E2E_CHROMIUM"] ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--disable-background-networking",
        "--disable-component-update",
        "--host-resolver-rules=MAP notebooks.corp.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
      ],
    },
  },
});
