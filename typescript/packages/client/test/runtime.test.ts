import { generateKeyPairSync } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { findContractHash, readContract } from "../src/node/contract.js";
import { createService, type Service, ServiceError } from "../src/index.js";

const TOKEN = "t".repeat(43);
const NPV = { module: "finance", function: "npv", args: [0.1, [-1000, 300, 420, 560, 680]] };
let home = "";
let contractHash = "";
let server: Http2Server | undefined;
let service: Service | undefined;
const before = { ...process.env };

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "runtime-"));
  contractHash = findContractHash(await readContract());
  const { privateKey } = generateKeyPairSync("ed25519");
  process.env["SERVICE_DEVICE_KEY"] = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  process.env["SERVICE_HOME"] = home;
  process.env["SERVICE_PYTHON"] = "/nowhere/python"; // nothing else can be started
});
afterEach(() => {
  service?.close();
  server?.close();
  rmSync(join(home, "run"), { recursive: true, force: true });
});
afterAll(() => {
  process.env = before;
  rmSync(home, { recursive: true });
});

type Respond = (stream: ServerHttp2Stream, session: string) => void;

interface Told {
  readonly hash?: string;
  readonly version?: string;
  readonly modules?: readonly string[];
}

/** A runtime that says what it is, and answers calls as it is told; the client meets it as one that runs already. */
async function startRuntime(respond: Respond, told: Told = {}): Promise<string> {
  server = createServer();
  server.on("stream", (stream, headers) => {
    stream.on("error", () => undefined);
    if (headers["token"] !== TOKEN) refuse(stream, "16");
    else if (String(headers[":path"]).endsWith("/Describe")) answer(stream, describe(told), true);
    else stream.on("data", () => { respond(stream, String(headers[":path"])); }); // prettier-ignore
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const folder = join(home, "run", "simulated");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(join(home, "run"), 0o700);
  const address = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  writeFileSync(join(folder, "address"), `${address} 127.0.0.1:9`, { mode: 0o600 });
  writeFileSync(join(folder, "token"), TOKEN, { mode: 0o600 });
  service = createService();
  return folder;
}

function describe({ hash = contractHash, version = "0.1.0", modules = [] }: Told): Uint8Array {
  const writer = new BinaryWriter();
  const texts = { 2: hash, 3: version, 4: "b".repeat(64), 5: "kernels", 6: "linux-x64", 7: "x64", 8: "portable" };
  for (const [field, text] of Object.entries(texts)) writer.tag(Number(field), WireType.LengthDelimited).string(text);
  for (const name of modules) writer.tag(11, WireType.LengthDelimited).string(name);
  return writer.finish();
}

/** A reply with one value, written by `write`. */
function reply(write: (value: BinaryWriter) => void, times = 1): Uint8Array {
  const writer = new BinaryWriter();
  for (let count = 0; count < times; count += 1) {
    write(writer.tag(1, WireType.LengthDelimited).fork());
    writer.join();
  }
  return writer.finish();
}

const double = (value: BinaryWriter): void => {
  value.tag(1, WireType.Bit64).double(1.5);
};

function answer(stream: ServerHttp2Stream, content: Uint8Array, isLast = false): void {
  if (!stream.headersSent) {
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
    stream.on("wantTrailers", () => { stream.sendTrailers({ "grpc-status": "0" }); }); // prettier-ignore
  }
  const head = Buffer.alloc(5);
  head.writeUInt32BE(content.length, 1);
  stream.write(Buffer.concat([head, content]));
  if (isLast) stream.end();
}

function refuse(stream: ServerHttp2Stream, status: string): void {
  stream.respond({ ":status": 200, "grpc-status": status, "grpc-message": "a%20word" }, { endStream: true });
}

async function compute(): Promise<unknown> {
  try {
    return (await service?.compute(NPV))?.value;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { reason } = error.details;
    return typeof reason === "string" ? `${error.code} ${reason}` : error.code;
  }
}

test("a runtime of a release that runs already is used as it is, call after call on one stream", async () => {
  const streams = new Set<ServerHttp2Stream>();
  await startRuntime((stream) => {
    streams.add(stream);
    answer(stream, reply(double));
  });
  expect([await compute(), await compute(), await compute()]).toEqual([1.5, 1.5, 1.5]);
  expect(streams.size).toBe(1);
  expect(await Promise.all([compute(), compute(), compute()])).toEqual([1.5, 1.5, 1.5]);
  expect(streams.size).toBe(3);
});

const floats = (shape: readonly number[], bytes: number) => (value: BinaryWriter) => {
  const form = value.tag(6, WireType.LengthDelimited).fork();
  form.tag(1, WireType.LengthDelimited).fork();
  for (const size of shape) form.uint64(size);
  form.join().tag(2, WireType.LengthDelimited).bytes(new Uint8Array(bytes)).join();
};

const LIES: Readonly<Record<string, readonly [Respond, string]>> = {
  "nothing at all": [(stream) => { answer(stream, new Uint8Array()); }, "engine_failed"], // prettier-ignore
  "two values for one call": [(stream) => { answer(stream, reply(double, 2)); }, "engine_failed"], // prettier-ignore
  "a value without a kind": [(stream) => { answer(stream, reply(() => undefined)); }, "engine_failed"], // prettier-ignore
  "bytes that are no message": [(stream) => { answer(stream, Uint8Array.of(255, 255, 255, 1)); }, "engine_failed"], // prettier-ignore
  "a message that is cut": [(stream) => { answer(stream, reply(double).subarray(0, 6)); }, "engine_failed"], // prettier-ignore
  "an array of other sizes": [(stream) => { answer(stream, reply(floats([3], 8))); }, "engine_failed"], // prettier-ignore
  "an array of three dimensions": [(stream) => { answer(stream, reply(floats([1, 1, 1], 8))); }, "engine_failed"], // prettier-ignore
  "an endless array": [(stream) => { answer(stream, reply(floats([2 ** 52], 8))); }, "engine_failed"], // prettier-ignore
  "another type of HTTP answer": [(stream) => { stream.respond({ ":status": 500 }, { endStream: true }); }, "compute_runtime_unavailable"], // prettier-ignore
  "a stream that is cut": [(stream) => { stream.close(2); }, "compute_runtime_unavailable"], // prettier-ignore
  "a connection that is cut": [(stream) => { stream.session?.destroy(); }, "compute_runtime_unavailable"], // prettier-ignore
  "too much": [(stream) => { refuse(stream, "8"); }, "limit_exceeded"], // prettier-ignore
  "a status of its own": [(stream) => { refuse(stream, "99"); }, "engine_failed"], // prettier-ignore
  "a huge length": [(stream) => { stream.respond({ ":status": 200 }); stream.write(Buffer.from([0, 255, 255, 255, 255])); }, "limit_exceeded"], // prettier-ignore
};

test.each(Object.entries(LIES))(
  "a runtime that answers %s ends in an error with a code",
  async (_, [respond, code]) => {
    await startRuntime(respond);
    expect(await compute()).toBe(code);
  },
);

test("a runtime of another contract, of other modules or of a checkout is not used", async () => {
  for (const told of [{ hash: `sha256:${"0".repeat(64)}` }, { modules: ["stats"] }, { version: "0.1.0+dev" }]) {
    await startRuntime((stream) => { answer(stream, reply(double)); }, told); // prettier-ignore
    expect(await compute()).toBe("runtime_provision_failed no_python");
    server?.close();
  }
});

test("a folder that others can enter, and an address elsewhere, are not believed", async () => {
  const folder = await startRuntime((stream) => { answer(stream, reply(double)); }); // prettier-ignore
  chmodSync(folder, 0o755);
  expect(await compute()).toBe("runtime_provision_failed no_python");
  chmodSync(folder, 0o700);
  for (const address of ["10.0.0.1:80", "unix:/tmp/other", "127.0.0.1:0", "127.0.0.1:80/x", "unix:%", ""]) {
    writeFileSync(join(folder, "address"), address);
    expect(await compute()).toBe("runtime_provision_failed no_python");
  }
});

test("a runtime that does not answer is stopped at the deadline", async () => {
  await startRuntime(() => undefined);
  const late = service?.compute("finance.npv", { args: NPV.args, timeout: 0.01 });
  await expect(late).rejects.toMatchObject({ code: "timeout", retryable: true });
  await expect(service?.compute("finance.npv", { args: NPV.args, timeout: -1 })).rejects.toMatchObject({ code: "invalid_intent" }); // prettier-ignore
});
